// For tests in a real browser: a page as a user sees it, what the figure drew, and the command's numbers beside it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
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

export interface OpenPage {
  readonly page: Page;
  /** Everything that a page should not do: errors of the console, exceptions, violations of the policy. */
  readonly complaints: string[];
  readonly requests: string[];
}

export async function openPage(browser: Browser, url: string, width = 1440, height = 900): Promise<OpenPage> {
  const page = await browser.newPage({ viewport: { width, height } });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

/** What the figure shows now; minus infinity and the like survive the way here as text. */
export async function drawn(page: Page): Promise<Drawn[]> {
  const texts = await page
    .locator('hf-flow')
    .evaluate((flow) =>
      (flow as unknown as { drawingData(): { values: Float32Array }[] })
        .drawingData()
        .map((part) => ({ ...part, values: Array.from(part.values, String) })),
    );
  return (texts as unknown as (Omit<Drawn, 'values'> & { values: string[] })[]).map((part) => ({
    ...part,
    values: part.values.map(Number),
  }));
}

/** Waits until the figure shows this block and head of a prompt with this many tokens. */
export async function figure(page: Page, wanted: { block: number; head: number; tokens: number }): Promise<Drawn[]> {
  await page.locator('hf-flow').evaluate(
    (flow, { block, head, tokens }) =>
      new Promise<void>((resolve) => {
        type Part = { stage: string; node: string; head: number; columns: readonly number[] };
        const look = () => {
          const parts = (flow as unknown as { drawingData(): Part[] }).drawingData();
          const p = parts.find(({ stage }) => stage === 'p');
          if (p?.node === `kq_soft_max-${block}` && p.head === head && p.columns[1] === tokens) resolve();
          else setTimeout(look, 20);
        };
        look();
      }),
    wanted,
  );
  return drawn(page);
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
