// The address follows the view: steps at once, typing seldom enough for every browser, and its end always.
import { expect, test } from 'vitest';
import { initialState } from '../ui/state';
import { Address } from './address';

/** Of an address what changes here: prompt, and block where it is not the initial one. */
function shortly(url: string): string {
  const fields = new URLSearchParams(url.slice(url.indexOf('#') + 1));
  const block = fields.get('block');
  return `#prompt=${fields.get('prompt')}${block === String(initialState.block) ? '' : `&block=${block}`}`;
}

function fixture() {
  const written: string[] = [];
  let due: (() => void) | null = null;
  const history = {
    href: 'https://host/page#old',
    push(url: string) {
      this.href = url;
      written.push(`push ${shortly(url)}`);
    },
    replace(url: string) {
      this.href = url;
      written.push(`replace ${shortly(url)}`);
    },
    wait(_: number, later: () => void) {
      due = later;
      return () => {
        due = null;
      };
    },
  };
  const address = new Address(history);
  const type = (prompt: string) => address.write({ ...initialState, prompt }, false);
  const pass = () => due?.();
  return { address, written, type, pass };
}

test('many changes are the first of them and the last', () => {
  const { written, type, pass } = fixture();
  for (let length = 1; length <= 500; length++) type('x'.repeat(length));
  expect(written).toEqual(['replace #prompt=x']);
  pass();
  expect(written).toEqual(['replace #prompt=x', `replace #prompt=${'x'.repeat(500)}`]);
  pass();
  type('y');
  expect(written.at(-1)).toBe('replace #prompt=y');
});

test('a step comes after what was typed before it', () => {
  const { address, written, type } = fixture();
  type('a');
  type('ab');
  address.write({ ...initialState, prompt: 'ab', block: 1 }, true);
  expect(written).toEqual(['replace #prompt=a', 'replace #prompt=ab', 'push #prompt=ab&block=1']);
});

test('what waits is not written into another address', () => {
  const { address, written, type, pass } = fixture();
  type('a');
  type('ab');
  address.left();
  pass();
  expect(written).toEqual(['replace #prompt=a']);
});
