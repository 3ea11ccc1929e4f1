// How numbers are written: tabular, a true minus sign, four decimals unless more are asked for.

const MINUS = '−';

const signed = (text: string): string => (/^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace('-', MINUS));

/** So many decimals, however large it is. */
export const fixed = (value: number, digits: number): string => signed(value.toFixed(digits));

/** A value with a fixed number of decimals; very large and very small ones keep their leading digits. */
export function decimal(value: number, digits = 4): string {
  if (value === Number.NEGATIVE_INFINITY) return `${MINUS}∞`;
  const size = Math.abs(value);
  if (size !== 0 && size < 0.5 * 10 ** -digits) return signed(value.toExponential(2)).replace('e-', `e${MINUS}`);
  return signed(value.toFixed(size >= 1000 ? Math.min(digits, 1) : digits));
}

/** A whole number, all of its digits. */
export const integer = (value: number): string => signed(String(value));

/** Three leading digits, for the ends of a legend. */
export function brief(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.001) return signed(value.toExponential(1)).replace('e-', `e${MINUS}`);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(size)));
  return signed(value.toFixed(Math.min(digits, 3)));
}

/** At most so many digits, without zeros at the end. */
export function significant(value: number, digits: number): string {
  if (value === Number.NEGATIVE_INFINITY) return `${MINUS}∞`;
  return signed(String(Number(value.toPrecision(digits)))).replace('e-', `e${MINUS}`);
}

/** Every digit that a float32 holds. */
export const exact = (value: number): string => significant(value, 9);

/** A share of what is there is never written as none of it. */
export function percent(value: number): string {
  if (value > 0 && value < 0.0005) return '< 0.1 %';
  return `${(100 * value).toFixed(value >= 0.0995 ? 0 : 1)} %`;
}

/** A weight or probability with two decimals, three where those were zeros. */
export function share(value: number): string {
  if (value >= 0.005 || value === 0) return value.toFixed(2);
  return value >= 0.0005 ? value.toFixed(3) : '< 0.001';
}

/** A weight in as few digits as tell it: ".98", and "1" where it rounds to that. */
export const briefWeight = (value: number): string => (value >= 0.995 ? '1' : value.toFixed(2).replace(/^0/, ''));

/** 5 242 880 as "5.2 MB". */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(0)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}
