// The colours of the page in light and dark: one table, read by the drawings and by the style sheets alike.
// Hues after Okabe and Ito; each has one meaning.

export type Theme = 'light' | 'dark';

/** What a colour stands for. */
export type Role = 'query' | 'key' | 'value' | 'probability' | 'residual';

export interface Palette {
  readonly paper: string;
  /** A quiet surface on the paper: the field under the pointer, a deck's edge. */
  readonly wash: string;
  readonly ink: string;
  readonly inkSoft: string;
  readonly inkFaint: string;
  readonly rule: string;
  readonly hatch: string;
  /** The light that falls on the selected row and cell. */
  readonly light: string;
  /** Text in a role's colour: at least 4.5 to 1 on paper. */
  readonly text: Readonly<Record<Role, string>>;
  /** Bands and marks of a role. */
  readonly mark: Readonly<Record<Role, string>>;
  /** Colour stops from zero outwards, for the positive and the negative side of a signed tensor. */
  readonly positive: Readonly<Record<Role, readonly string[]>>;
  readonly negative: Readonly<Record<Role, readonly string[]>>;
}

const light: Palette = {
  paper: '#fbf9f4',
  wash: '#f1ede3',
  ink: '#23211d',
  inkSoft: '#55514a',
  inkFaint: '#736e64',
  rule: '#d9d3c6',
  hatch: '#c9c2b3',
  light: '#23211d',
  text: { query: '#00639c', key: '#b34a00', value: '#00704f', probability: '#8a3f78', residual: '#5a5d60' },
  mark: { query: '#0072b2', key: '#d55e00', value: '#009e73', probability: '#a9558f', residual: '#8b8e8f' },
  positive: {
    query: ['#fbf9f4', '#8fbfe0', '#0072b2', '#003c66'],
    key: ['#fbf9f4', '#f3b488', '#d55e00', '#7c3000'],
    value: ['#fbf9f4', '#8accb2', '#009e73', '#00523a'],
    probability: ['#fbf9f4', '#e3bbd5', '#b45c99', '#5b1f58'],
    residual: ['#fbf9f4', '#adb8c0', '#56697a', '#1d2c3a'],
  },
  negative: {
    query: ['#fbf9f4', '#dcc79c', '#a2814a', '#57401a'],
    key: ['#fbf9f4', '#c0bbdf', '#7468b0', '#332a66'],
    value: ['#fbf9f4', '#dcc79c', '#a2814a', '#57401a'],
    probability: ['#fbf9f4', '#dcc79c', '#a2814a', '#57401a'],
    residual: ['#fbf9f4', '#dcc79c', '#a2814a', '#57401a'],
  },
};

const dark: Palette = {
  paper: '#14171c',
  wash: '#1d2128',
  ink: '#ece8df',
  inkSoft: '#b9b5ab',
  inkFaint: '#928f88',
  rule: '#343a43',
  hatch: '#434a55',
  light: '#f4efe2',
  text: { query: '#6cb8ea', key: '#f2915a', value: '#4fc79f', probability: '#dd9cc8', residual: '#b3b8bd' },
  mark: { query: '#3d9ad6', key: '#e0702a', value: '#23ae85', probability: '#c878af', residual: '#858c94' },
  positive: {
    query: ['#14171c', '#174a70', '#3391d1', '#b9e0fb'],
    key: ['#14171c', '#6b3212', '#dd6a20', '#ffd3ad'],
    value: ['#14171c', '#0f5240', '#1fa67f', '#b4f0d8'],
    probability: ['#14171c', '#5a2a55', '#bd66a6', '#fbd3ef'],
    residual: ['#14171c', '#394a59', '#7f97aa', '#dbe8f2'],
  },
  negative: {
    query: ['#14171c', '#4f3f20', '#a98a4e', '#f3dfb0'],
    key: ['#14171c', '#352f5e', '#8378c4', '#dcd6fb'],
    value: ['#14171c', '#4f3f20', '#a98a4e', '#f3dfb0'],
    probability: ['#14171c', '#4f3f20', '#a98a4e', '#f3dfb0'],
    residual: ['#14171c', '#4f3f20', '#a98a4e', '#f3dfb0'],
  },
};

export const palettes: Readonly<Record<Theme, Palette>> = { light, dark };
