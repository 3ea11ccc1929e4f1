// For tests in a real browser: what a figure drew beside the command's numbers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { type Npy, readNpy } from '../npy';

/** One tensor as the figure drew it (FlowElement.drawingData). */
export interface Drawn {
  readonly stage: string;
  readonly node: string;
  readonly head: number;
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
  readonly shape: readonly [number, number];
  readonly binSize: readonly [number, number];
  readonly values: readonly number[];
}

/** `headflow trace` of a prompt: node name to tensor. */
export function trace(model: string, prompt: string, nodes: readonly string[]): Map<string, Npy> {
  const out = mkdtempSync(join(tmpdir(), 'headflow-'));
  try {
    const asked = nodes.flatMap((node) => ['--node', node]);
    execFileSync(join(root, 'build', 'cli', 'headflow'), ['trace', model, '--prompt', prompt, ...asked, '--out', out]);
    return new Map(nodes.map((node) => [node, readNpy(join(out, `${node}.npy`))]));
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** What a drawing must hold for a tensor: per bin the signed value of largest magnitude, masked only where all are. */
export function pooled({ head, rows, columns, binSize, shape }: Drawn, { shape: full, values }: Npy): number[] {
  const width = full.at(-1) ?? 0;
  const plane = full.length === 3 ? head * (full[1] ?? 0) * width : 0;
  const bins: number[] = [];
  for (let i = 0; i < shape[0]; i++) {
    for (let j = 0; j < shape[1]; j++) {
      let most = Number.NaN;
      for (let r = rows[0] + i * binSize[0]; r < Math.min(rows[1], rows[0] + (i + 1) * binSize[0]); r++) {
        for (let c = columns[0] + j * binSize[1]; c < Math.min(columns[1], columns[0] + (j + 1) * binSize[1]); c++) {
          const value = values[plane + r * width + c] ?? Number.NaN;
          const replaces = Number.isNaN(most) || !Number.isFinite(most) || Math.abs(value) > Math.abs(most);
          if (replaces && (Number.isFinite(value) || Number.isNaN(most))) most = value;
        }
      }
      bins.push(most);
    }
  }
  return bins;
}

/** Every drawn number is the one that the command writes. */
export function expectSameNumbers(parts: readonly Drawn[], model: string, text: string): void {
  const nodes = [...new Set(parts.map(({ node }) => node))];
  const tensors = trace(model, text, nodes);
  for (const part of parts) {
    const tensor = tensors.get(part.node);
    if (!tensor) throw new Error(part.node);
    expect(part.values, `${part.stage}: ${part.node}`).toEqual(pooled(part, tensor));
  }
}
