// <hf-shapes>: the shape table, with what llama.cpp does at each stage.
import { copyText } from '../../ui/copy';
import { define, h, shadow, sheet } from '../../ui/dom';
import { mathDocument } from '../../ui/marks/paint';
import { parseTex } from '../../ui/marks/tex';
import { shared } from '../../ui/theme';
import { enShapes } from '../../ui/words/en-shapes';
import { sourceSymbol } from '../breakdown/symbols';
import type { InsideView, Panel } from '../inside/panel';
import { insideSheet } from '../inside/styles';
import { shapesMarkdown } from './markdown';
import { nodeKey, type ShapeGroup, type ShapeRow, shapeTable } from './table';

const words = enShapes;

const own = sheet(`
  tbody th { padding-top: 18px; white-space: normal; font: 600 17px/1.3 var(--serif); }
  .side { display: none; vertical-align: top; white-space: normal; padding: 20px 0 0 32px; min-width: 340px;
    max-width: 480px; }
  thead .side { padding-top: 3px; vertical-align: baseline; }
  .note { font: 14px/1.5 var(--sans); color: var(--ink-soft); }
  .under { position: sticky; left: 0; width: fit-content; max-width: min(86ch, calc(100cqw - 8px)); }
  .view td { padding-top: 0; color: var(--ink-soft); font-size: 13.5px; }
  td:nth-child(3) math { font-size: 15.5px; }
  @container (min-width: 1180px) { .side { display: table-cell; } .under { display: none; } }
`);

export class ShapesElement extends HTMLElement implements Panel {
  readonly #body = h('table');
  readonly #said = h('span', { class: 'soft', role: 'status' });
  #groups: readonly ShapeGroup[] = [];
  #tokens = 0;
  #key = '';

  constructor() {
    super();
    const copy = h('button', { type: 'button', class: 'quiet copy', onclick: () => this.#copy(copy) }, words.copy);
    const scroll = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.table };
    shadow(this, shared, insideSheet, own).append(
      h('p', { class: 'lead' }, words.lead),
      h('div', { class: 'bar' }, copy, this.#said),
      h('div', scroll, this.#body),
    );
  }

  show({ engine, tokens, block }: InsideView): void {
    const key = `${tokens.length}|${block}|${JSON.stringify(engine.info.config)}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#tokens = tokens.length;
    this.#groups = shapeTable(engine.info, tokens.length, block);
    this.#said.textContent = '';
    const { stage, symbol, shape, shapeFor, node, ggml } = words.columns;
    const heads = [stage, symbol, shape, shapeFor(tokens.length), node, ggml];
    const aside = h('th', { scope: 'col', class: 'side' }, words.inLlamaCpp);
    const { embeddingLength: width, blockCount } = engine.info.config;
    const line = (row: ShapeRow): HTMLElement[] => {
      const { nodes } = engine.info;
      const ours = row.info.ours ? [' ', h('span', { class: 'faint' }, words.ours)] : [];
      const cells = h(
        'tr',
        {},
        h('td', { class: 'soft' }, words.nodes[nodeKey(row.info)] ?? ''),
        h('td', {}, mathDocument(sourceSymbol(row.node, null, nodes, blockCount))),
        h('td', {}, mathDocument(parseTex(row.axes))),
        h('td', {}, row.shape),
        h('td', {}, h('span', { class: 'mono' }, row.node), ...ours),
        h('td', { class: 'mono' }, row.ggml),
      );
      if (!row.view) return [cells];
      return [
        cells,
        h('tr', { class: 'view' }, h('td', { colspan: 2 }), h('td', { colspan: 4 }, words.view(row.view))),
      ];
    };
    this.#body.replaceChildren(
      h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)), aside)),
      ...this.#groups.map(({ id, rows }) => {
        const lines = rows.flatMap(line);
        const note = words.notes[id](width);
        const under = h('div', { class: 'note under' }, `${words.inLlamaCpp}: ${note}`);
        const head = h('th', { scope: 'rowgroup', colspan: 6 }, words.groups[id], under);
        const side = h('td', { class: 'note side', rowspan: lines.length + 1 }, note);
        return h('tbody', {}, h('tr', {}, head, side), ...lines);
      }),
    );
  }

  async #copy(button: HTMLElement): Promise<void> {
    const copied = await copyText(shapesMarkdown(this.#groups, this.#tokens, words), button);
    this.#said.textContent = copied ? words.copied : words.notCopied;
  }
}

define('hf-shapes', ShapesElement);

export const create = (): Panel => new ShapesElement();
