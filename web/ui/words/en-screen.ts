// The words of the first screen's pictures, in English.
import type { ScreenWords } from './screen';

export const enScreen: ScreenWords = {
  language: 'en-GB',
  hint: 'Click any number in a square or in the flow below to see where it comes from, down to the file’s bytes.',
  letters: {
    title: 'What head 3.2, the dots and the letters T, D, H and M stand for',
    of: ({ tokens, width, heads, blocks }) => [
      [
        {
          text: `The text is cut into tokens; · stands for a space. A block is one of the model’s ${blocks} layers, each of which works on what the one before has made. A head is one of a block’s ${heads} readers: for each token it decides how much to read of each token so far. Head 3.2 is head 2 of block 3, and (12) after a token is its place, counted from 0.`,
        },
      ],
      [
        { symbol: 'T', text: ` = ${tokens} tokens, the rows of every picture. ` },
        { symbol: 'D', text: ` = ${width} numbers for each token. ` },
        { symbol: 'H', text: ` = ${heads} heads in a block, each ` },
        { symbol: 'D_h', text: ` = D ÷ H = ${width / heads} columns wide. ` },
        { symbol: 'M', text: ', the mask, is −∞ where a key comes later than its query, else 0.' },
      ],
      [
        { text: `Each head reads all ${width} numbers of ` },
        { symbol: 'Z', text: ` and keeps ${width / heads} columns: its own part of ` },
        { symbol: 'Q', text: ', ' },
        { symbol: 'K', text: ' and ' },
        { symbol: 'V', text: '. Concat lays the heads’ outputs side by side; nothing is added.' },
      ],
    ],
  },
  switch: {
    on: (head) => `Head ${head} is off: switch it on`,
    off: (head) => `Switch head ${head} off`,
    last: 'No block comes after this one, so only the prediction changes.',
  },
  edits: {
    off: (heads) => `Off: ${heads}`,
    allOn: 'all on',
    by: { zero: 'replaced by zeros', mean: 'replaced by their mean over this prompt' },
    insteadBy: { zero: 'use zeros', mean: 'use the mean' },
  },
  try: {
    ask: (token) => `Try each head: whose absence costs ${token} most?`,
    running: (done, all, seconds) =>
      `Trying each head: ${done} of ${all}${seconds === null ? '' : `, about ${Math.max(1, Math.round(seconds))} s left`}`,
    stop: 'Stop',
    show: (head) => `show ${head}`,
    next: 'Then:',
    also: (head, after) => `${head}, ${after}`,
    most: (head, token, before, after) =>
      `Without ${head}, ${token} falls from ${before} to ${after}: the most of all.`,
  },
  stories: 'Try',
  tour: 'take the tour',
  line: {
    label: 'The prompt’s tokens and how much the selected one reads of each',
    keys: 'Left and right arrow keys select a token.',
    reading: (head) => `reading, head ${head}`,
    token: (text, position, ids, codes, weight) =>
      [`${text}, token ${position}`, weight, `id ${ids}`, codes].filter(Boolean).join(', '),
    weight: (weight, tokens) =>
      tokens === 1 ? `weight ${weight}` : `weight ${weight}, of its ${tokens} tokens together`,
    later: 'comes later, so it is not read',
    accept: (text, probability) => `Append ${text}, the likeliest next token, ${probability}`,
  },
  map: {
    label: 'Map of all heads',
    keys: 'Arrow keys walk the heads, Enter shows one, X switches it off or on.',
    block: 'block',
    head: 'head',
    absent: 'not loaded',
    pending: 'not computed yet',
    off: 'off',
    cell: (head, states) => [`Head ${head}`, ...states].join(', '),
    lights: 'light up by',
    lighting: {
      none: 'no bars',
      previous: 'previous',
      first: 'first',
      itself: 'itself',
      repeats: 'repeats',
      sharpness: 'sharpness',
      writes: 'writes',
    },
    measures: (lighting, token) =>
      ({
        none: '',
        previous: 'mean weight on the token before',
        first: 'mean weight on the first token',
        itself: 'mean weight on the token itself',
        repeats: 'mean weight on what followed the same token earlier',
        sharpness: '1 less the entropy’s share of the most it could be: 1 reads one token, 0 all alike',
        writes: `what the head adds to the logit of ${token}, the final norm’s scale held fixed`,
      })[lighting],
    fullBar: (value) => `full bar: ${value}`,
    below: 'what it takes away is brown',
    colours: (limit) => `Colours of all heads from 0 to ${limit}, the median of their 0.99 quantiles.`,
    heads: (block) => `Heads of block ${block}`,
    effect: (token, value) => `${token} ${value} with this head off`,
    effects: (token) => `Numbers: the probability of ${token} with that head off.`,
  },
  weights: {
    role: 'tensor',
    label: (stage, head, tokens) => `${stage}, head ${head}: ${tokens} rows, ${tokens} columns`,
    stagesLabel: 'From scores to weights',
    keys: 'Arrow keys walk the cells, Enter selects one, Escape lets go.',
    stages: { raw: 'raw', scaled: '÷√d', masked: 'masked', lessMaximum: '−max', p: 'softmax' },
    says: {
      raw: 'Each query times each key: one raw score per pair of tokens.',
      scaled: 'The scores, divided by the square root of the head’s width.',
      masked: 'Keys that come later are closed: no token reads ahead.',
      lessMaximum: 'Each masked score less the largest of its row: what exp receives.',
      p: 'Who reads whom: each row shares 1 among the tokens so far.',
    },
    scale: { auto: 'Colours: automatic', whole: 'Colours: 0 to 1', fitted: 'Colours: fitted' },
    scaleLabel: 'Colours of the weights',
    range: (least, greatest) => `${least} to ${greatest}`,
    data: (least, greatest) => `data ${least} to ${greatest}`,
    quantile: 'Fitted: the colours end at the 0.99 quantile of the visible weights, row 0 left out.',
    all: 'Fitted: the colours end at the largest visible weight, row 0 left out.',
    clipped: 'Cells beyond the scale carry a tick.',
    belowTen: 'The colours end at −10, where exp is below 0.0001.',
    binned: (rows, columns) => `A cell holds ${rows} × ${columns} numbers and shows the one of largest magnitude.`,
    notBinned: 'Shown where each cell is one number.',
    pending: 'not computed yet',
    tip: (query, key, value) => `${query} reads ${key}: ${value}`,
    closed: 'masked, a later token',
  },
};
