// How cells are written in a breakdown: a symbol with indices, such as P_0[1,0] or W_QKV[64,3].
import type { NodeInfo } from '../../engine/api';
import type { Cell, Line } from '../../engine/explanation';
import { type Maths, mi, mn, mo, mtext, plain, row, sub, subsup } from '../../ui/marks/math';
import { parseTex } from '../../ui/marks/tex';

/** Tensors of the file, by the last parts of their names: a matrix W, or a bias b, or a norm's weight g. */
const matrices: Readonly<Record<string, string>> = {
  attn_qkv: 'QKV',
  attn_output: 'O',
  ffn_up: 'up',
  ffn_down: 'down',
  output: 'out',
};

function tensorSymbol(name: string): Maths {
  const [kind, part] = name.split('.').reverse();
  if (part === 'token_embd') return sub(mi('E'), mtext('tok'));
  if (part === 'position_embd') return sub(mi('E'), mtext('pos'));
  const matrix = matrices[part ?? ''];
  if (matrix) return sub(mi(kind === 'bias' ? 'b' : 'W'), mtext(matrix));
  return mi(kind === 'bias' ? 'b' : 'g');
}

/** A node's own part of its name, and its block, of "norm-0#1". */
export function splitName(name: string): { node: string; block: number } {
  const [, stem, block, suffix] = /^(.*?)(?:-(\d+))?(#1)?$/.exec(name) ?? [];
  return { node: `${stem}${suffix ?? ''}`, block: Number(block ?? 0) };
}

/** What one head adds: its output times its rows of W_O. */
export const contribution = (head: Maths): Maths =>
  row(sub(mi('O'), head), subsup(mi('W'), mi('O'), row(mo('('), head, mo(')'))));

/** A head's name in subscripts: with its block, so that it is not taken for a block's number. */
const headIndex = (block: number, head: number): Maths => mn(`${block}.${head}`);

/** A node's symbol is how it is computed; the one product that Q, K and V are parts of has a name besides. */
function nameOf(name: string, head: number | null, nodes: readonly NodeInfo[], blocks: number): Maths {
  const { node, block } = splitName(name);
  return node === 'wqkv_b' ? sub(mtext('QKV'), mn(block)) : sourceSymbol(name, head, nodes, blocks);
}

export function sourceSymbol(name: string, head: number | null, nodes: readonly NodeInfo[], blocks: number): Maths {
  const { node, block } = splitName(name);
  const scores = sub(mi('S'), head === null ? mi('h') : headIndex(block, head));
  if (node === 'kq_scaled') return scores;
  if (node === 'kq_masked') return row(scores, mo('+'), mi('M'));
  if (node === 'attn_out_mm' && head !== null) return contribution(headIndex(block, head));
  const info = nodes.find((one) => `${one.name}${one.suffix}` === node && one.perBlock === /-\d+/.test(name));
  if (!info) return tensorSymbol(name);
  if (node === 'l_out') return sub(mi('X'), mn(block + 1));
  const letters = { l: mn(block), L: mn(blocks), ...(head === null ? {} : { h: headIndex(block, head) }) };
  return parseTex(info.symbol, letters);
}

/** Whether indices can follow the symbol as it is: one letter with scripts, or what ends in a bracket. */
const simple = (maths: Maths): boolean =>
  maths.kind !== 'row' || (/\)$/.test(plain(maths)) && !plain(maths).includes(' '));

/** The formulas' matrices are [in, out]; the file has one stored row for each output. */
const stored = (name: string): boolean => name.endsWith('.weight') && !name.includes('_embd');

/** The head of a cell of a node that has heads, or of one head's contribution. */
export const headOf = ({ indices }: Cell): number | null => (indices.length === 3 ? (indices[0] ?? null) : null);

/** The block that a node or a tensor of the file is of; null where it is of none. */
export function blockOf({ name }: Cell): number | null {
  const [, ofFile, ofNode] = /^blk\.(\d+)\.|-(\d+)(?:#1)?$/.exec(name) ?? [];
  const block = ofFile ?? ofNode;
  return block === undefined ? null : Number(block);
}

/** P_0[1,0]: the head is a subscript of the symbol, rows and columns are indices. */
export function cellSymbol(cell: Cell, nodes: readonly NodeInfo[], blocks: number): Maths {
  const symbol = nameOf(cell.name, headOf(cell), nodes, blocks);
  const inNode = cell.indices.length === 3 ? cell.indices.slice(1) : cell.indices;
  const indices = stored(cell.name) ? inNode.toReversed() : inNode;
  const base = simple(symbol) ? [symbol] : [mo('('), symbol, mo(')')];
  return row(...base, mo('['), mtext(indices.join(', ')), mo(']'));
}

/** The symbol of what a line runs through. */
export function lineSymbol(line: Line, nodes: readonly NodeInfo[], blocks: number): Maths {
  const head = line.heads && line.heads[1] - line.heads[0] === 1 ? line.heads[0] : null;
  return nameOf(line.name, head, nodes, blocks);
}
