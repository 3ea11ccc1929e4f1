// What the log lists: its entries in parts of the model, and their rows of values as text.
import type { LogEntry, LogTensor, LogValues } from '../../engine/api';
import { decimal } from '../../ui/numbers';

/** A part of the model, as the log is divided. */
export interface Section {
  readonly kind: 'before' | 'block' | 'after';
  readonly block: number;
  readonly entries: readonly LogEntry[];
}

/** In order; `block`: only this one of the blocks, null for all. */
export function sections(entries: readonly LogEntry[], block: number | null): Section[] {
  const found: Section[] = [];
  for (const entry of entries) {
    const { kind, block: of } = entry.stage;
    const part = kind === 'embed' ? 'before' : kind === 'logits' ? 'after' : 'block';
    if (part === 'block' && block !== null && of !== block) continue;
    const last = found.at(-1);
    if (last?.kind === part && last.block === of) {
      found[found.length - 1] = { ...last, entries: [...last.entries, entry] };
    } else found.push({ kind: part, block: of, entries: [entry] });
  }
  return found;
}

/** "{768, 9}" in ggml's order, "[9, 768]" in the logical one. */
export const shapeText = ({ shape, ggmlShape }: LogTensor, logical: boolean): string =>
  logical ? `[${shape.join(', ')}]` : `{${ggmlShape.join(', ')}}`;

/** Rows of cells as they are shown; null is a gap, of columns within a row or of a whole row. */
export function valueRows({ rows, columns, values }: LogValues): readonly (readonly (string | null)[] | null)[] {
  const gap = (indices: Int32Array, at: number): boolean => at > 0 && (indices[at - 1] ?? 0) + 1 !== indices[at];
  const shown: ((string | null)[] | null)[] = [];
  for (let i = 0; i < rows.length; i++) {
    const cells: (string | null)[] = [];
    for (let j = 0; j < columns.length; j++) {
      if (gap(columns, j)) cells.push(null);
      cells.push(decimal(values[i * columns.length + j] ?? Number.NaN));
    }
    if (gap(rows, i)) shown.push(null);
    shown.push(cells);
  }
  return shown;
}
