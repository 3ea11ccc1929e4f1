// What can be chosen in the pictures of the first screen.

/** What the map's bars say of each head on this prompt. */
export const lightings = ['none', 'previous', 'first', 'itself', 'repeats', 'sharpness', 'writes'] as const;
export type Lighting = (typeof lightings)[number];

/** The large square's stages, in the order in which they are computed. */
export const scoreStages = ['raw', 'scaled', 'masked', 'lessMaximum', 'p'] as const;
export type ScoreStage = (typeof scoreStages)[number];

/** Where the colours of the weights end; `auto` is fitted where the prompt is long. */
export const weightScales = ['auto', 'whole', 'fitted'] as const;
export type WeightScaleChoice = (typeof weightScales)[number];
