// Which of the page's fonts are carried along, offline and in one file: those of most prompts and of the formulas.

/** Other alphabets are loaded when a prompt has them, or shown in the system's own fonts. */
export const CARRIED_FONT = /-(latin|greek)-wght-.*\.woff2$/;
