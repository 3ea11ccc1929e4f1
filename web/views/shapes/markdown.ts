// The shape table as Markdown, with TeX between dollars.
import type { ShapesWords } from '../../ui/words/inside';
import { nodeKey, type ShapeGroup } from './table';

/** A code span, or nothing for nothing. */
const code = (text: string): string => `\`${text}\``;

export function shapesMarkdown(groups: readonly ShapeGroup[], tokens: number, words: ShapesWords): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const { stage, symbol, shape, shapeFor, node, ggml, view } = words.columns;
  const heads = [stage, symbol, shape, shapeFor(tokens), node, ggml, view];
  const rows = groups.flatMap(({ id, rows }) =>
    rows.map((row) =>
      line([
        `${words.groups[id]}: ${words.nodes[nodeKey(row.info)] ?? ''}`,
        `$${row.info.symbol}$`,
        code(row.axes),
        code(row.shape),
        row.info.ours ? `${code(row.node)} ${words.ours}` : code(row.node),
        code(row.ggml),
        row.view ? words.view(row.view) : '',
      ]),
    ),
  );
  return `${[line(heads), line(heads.map(() => '---')), ...rows].join('\n')}\n`;
}
