// A text field turns every line break into \n; what was not edited keeps the ones that it had.

/** As a text field shows it: \r\n and \r become \n. */
export const withFieldBreaks = (text: string): string => text.replace(/\r\n?/g, '\n');

/** A text whose field now holds `after`: the part that differs is new, all before and behind it as it was. */
export function edited(text: string, after: string): string {
  const before = withFieldBreaks(text);
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const kept = [text.slice(0, position(text, head)), text.slice(position(text, before.length - tail))];
  return kept.join(after.slice(head, after.length - tail));
}

/** Where the field's character at `index` stands in the text itself. */
function position(text: string, index: number): number {
  let at = 0;
  for (let i = 0; i < index; i++) at += text.startsWith('\r\n', at) ? 2 : 1;
  return at;
}
