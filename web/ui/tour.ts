// The steps of the tour, from the answer backwards.
export const stepIds = [
  'next',
  'told',
  'head',
  'compares',
  'projects',
  'carries',
  'joined',
  'residual',
  'mlp',
  'without',
] as const;
export type StepId = (typeof stepIds)[number];

/** The two that the step about the MLPs lets choose between. */
export const writers = ['heads', 'mlps'] as const;
export type Writers = (typeof writers)[number];
