// The page's words in English.
import type { Run } from '../marks/marks';
import { enScreen } from './en-screen';
import type { QueryReading, Words } from './words';

const count = (value: number): string => value.toLocaleString('en-GB');

function reads({ head, token, position, alone, readings, others, rest }: QueryReading): readonly Run[] {
  const strong = (text: string): Run => ({ text, weight: 600 });
  const start = [{ text: `In head ${head}, ` }, strong(token)];
  if (alone) return [...start, { text: ` (${position}) is the first token: it has nothing else to read than itself.` }];
  const runs: Run[] = [...start, { text: ` (${position}) reads ` }];
  readings.forEach((reading, index) => {
    if (index > 0) runs.push({ text: index === readings.length - 1 ? ' and ' : ', ' });
    runs.push(strong(reading.self ? 'itself' : reading.token));
    runs.push({ text: reading.self ? ' with ' : ` (${reading.position}) with ` }, strong(reading.weight));
  });
  const end = others === 1 ? `token it sees gets ${rest}` : `${count(others)} tokens it sees share ${rest}`;
  runs.push({ text: others > 0 ? `; the other ${end}.` : '.' });
  return runs;
}

export const en: Words = {
  language: 'en',
  screen: enScreen,
  page: {
    title: 'Headflow',
    subtitle:
      'A language model reads a sentence in your browser. See which word each of its heads looks at, and what it says next.',
  },
  prompt: {
    label: 'Prompt',
    hint: 'Type a text',
    tokens: (tokens) => (tokens === 1 ? '1 token' : `${count(tokens)} tokens`),
    ids: 'Token ids under the words',
    unused: (unused, context) =>
      `The model’s context is ${count(context)} tokens: the last ${unused === 1 ? 'token is' : `${count(unused)} tokens are`} not used.`,
    step: 'Step',
    stepTo: (token) =>
      token === null
        ? 'Appends the likeliest token, once it is computed'
        : `Append ${token}, the likeliest token (→ at the end of the prompt)`,
    undo: 'Undo',
    undoing: 'Take back what was appended last',
    empty: 'Type a text above: the figure shows how one block’s heads read it.',
  },
  pickers: {
    blocks: 'Block',
    block: (block) => `Block ${block}`,
    computed: (blocks, count) => `${blocks} of ${count} computed`,
    notComputed: 'not computed yet',
    notLoaded: 'not loaded',
    notYet: 'not yet',
    heads: (block) => `Heads of block ${block}`,
    headsShort: 'Head',
    head: (head) => `Head ${head}`,
    headSummary: (head, first, previous, self) =>
      `Head ${head}: on this prompt a query puts ${first} on the first token, ${previous} on the token before it and ${self} on itself, on average`,
  },
  bands: {
    read: { title: 'Read', question: (head) => `What does head ${head} see?` },
    combine: { title: 'Combine', question: (_head, heads) => `How do ${heads} heads become one update?` },
  },
  stages: {
    z: 'normalised input',
    q: 'one product, in thirds',
    k: '',
    v: '',
    qh: 'one head’s columns',
    kh: '',
    vh: '',
    raw: 'raw scores',
    scaled: 'scaled',
    masked: 'masked',
    p: 'softmax: who reads whom',
    o: 'head output',
    cat: 'Concat: side by side, nothing is added',
    a: 'attention update',
    x: 'block input',
    r: 'residual stream',
  },
  captions: {
    shape: 'shape',
    node: 'node',
    ggml: 'ggml',
    colour: 'colour',
    least: 'least',
    greatest: 'greatest',
    range: (minimum, maximum) => `${minimum} to ${maximum}`,
    bin: '1 bin',
    pooled: (columns) => `max |x| of ${columns}`,
  },
  notes: {
    pooled:
      'Where there are more numbers than pixels, a bin shows the one of largest magnitude, with its sign. Point at it for the value, select it for all values in it.',
    clipped:
      '▾ A few values here are far larger than the rest, so the colour scale ends before them: at the 0.99 quantile of |x|, among bins at the 0.95 quantile of what is drawn. Cells beyond it carry a tick, columns wholly beyond it a ▾.',
    withoutFirstKey: 'Key 0 is left out of the colour scale of the weights, not out of their numbers.',
    fitWeights:
      'The colours of the weights end at their 0.99 quantile, not at 1: the few larger weights all have the darkest one.',
  },
  reads,
  rows: {
    binned: (size, tokens) => `${count(tokens)} tokens, ${size} to a row: each cell shows the largest |x| of its bin.`,
    window: (first, last, tokens) => `Tokens ${count(first)} to ${count(last)} of ${count(tokens)}, one to a row.`,
    zoom: 'Show single tokens',
    all: 'Show all',
    earlier: 'Earlier',
    later: 'Later',
  },
  readout: {
    hint: 'Point at a cell for its exact value; arrow keys walk.',
    token: 'token',
    key: 'key',
    feature: 'feature',
    head: 'head',
    masked: 'masked: a later token',
    largestOf: (size) => `largest |x| of ${count(size)}`,
    exact: 'exact',
    waiting: '…',
  },
  breakdown: {
    title: 'Where this number comes from',
    place: (block, head) =>
      [block === null ? '' : `block ${block}`, head === null ? '' : `head ${head}`].filter(Boolean).join(', '),
    path: 'The way here',
    back: 'Back',
    close: 'Close',
    waiting: 'Being computed …',
    failed: (message) => `It cannot be explained: ${message}`,
    says: {
      stored: () => 'It lies in the file.',
      same: () => 'Nothing is computed: the same number, in another place.',
      sum: () => 'Two numbers, added.',
      products: (terms) => `The sum of ${count(terms)} products.`,
      matrix: (terms) => `The sum of ${count(terms)} products of inputs and weights.`,
      heads: (terms) => `One contribution of each of ${count(terms)} heads, and the bias.`,
      scaled: () => 'The score, made smaller so that it does not grow with the width of a head.',
      masked: () => 'The score, where the key may be seen.',
      softmax: (terms) =>
        terms === 1
          ? 'The share of the only key that the query sees.'
          : `The share of one key among the ${count(terms)} that the query sees.`,
      normalize: () => 'The distance from the mean of its row, in standard deviations.',
      weighted: () => 'The normalised number, times its weight.',
      affine: () => 'The normalised number, times its weight, plus its bias.',
      gelu: () => 'Half of the number, and half of it again times a tanh.',
      replaced: () => 'This head is switched off: the number stands in for its output.',
    },
    masked: 'The key comes after the query, so it is masked.',
    view: 'Read from',
    follow: (cell) => `Where ${cell} comes from`,
    steps: {
      maximum: 'largest scaled score',
      exponential: 'of this key',
      sum: 'of all visible keys',
      mean: 'mean',
      variance: 'variance',
      epsilon: 'epsilon',
      inverse_deviation: '1 ÷ standard deviation',
      product: 'without the bias',
      argument: 'u',
      tanh: 'tanh u',
      code: 'code',
      scale: 'scale of its block',
      scale_offset: 'scale at byte',
      offset: 'at byte',
      input: 'before',
    },
    constants: {
      mask: 'mask',
      half: '½',
      tanh: 'tanh u',
      centred: 'less the mean',
      inverse_deviation: '1 ÷ deviation',
    },
    bias: 'bias',
    head: (head) => `head ${head}`,
    order: 'Order of the terms',
    largest: 'Largest first',
    inOrder: 'In order',
    value: 'value',
    used: 'value, as used',
    weight: 'weight',
    score: 'score',
    term: 'term',
    share: 'share',
    soFar: 'sum so far',
    context: (terms) => `The row of ${count(terms)} numbers that mean and variance are taken over`,
    more: (terms) => `Show ${count(terms)} more`,
    rounded:
      'Before this product the numbers of the left column are rounded, in blocks of 32, to a code from −127 to 127 times a scale: what is multiplied is the value as used.',
    result: (result, error, bound) =>
      `In double precision this gives ${result}. The engine’s number differs by ${error}; its single-precision sums may differ by ${bound}, a millionth of the terms’ magnitudes.`,
    resultExact: 'This gives exactly the number shown.',
  },
  tensor: {
    role: 'tensor',
    label: (title, symbol, rows, columns) => `${symbol}${title ? `, ${title}` : ''}: ${rows} rows, ${columns} columns`,
    keys: 'Arrow keys walk the cells, Enter selects one, Escape lets go.',
  },
  answer: {
    title: 'What comes next',
    more: 'more',
    after: (token) => `after ${token}`,
    afterCut: (token, used, tokens) => `after token ${count(used)} of ${count(tokens)}: ${token}`,
    note: (vocabulary) => `Probabilities over all ${vocabulary} tokens of the vocabulary. Choose one to append it.`,
    noteCut: (vocabulary) =>
      `Probabilities over all ${vocabulary} tokens of the vocabulary. The context is full, so none can be appended.`,
    append: (token, probability) => `Append ${token}, probability ${probability}`,
    partial: 'Bytes of a part of a character: no text can end with them, so it cannot be appended.',
    computing: 'The remaining blocks are being computed.',
    idle: 'Not computed.',
    needs: (size, host) => `Predicting it takes the rest of the model: ${size} more${host ? ` from ${host}` : ''}.`,
    load: (size) => `Load ${size}`,
  },
  inside: {
    label: 'What is behind the figure',
    tabs: { shapes: 'Shapes', log: 'Runtime log', checks: 'Checks', model: 'Model file' },
    loading: 'Loading …',
    failed: 'This part of the page could not be loaded. Reload the page to try again.',
  },
  options: {
    names: 'Names',
    theme: { auto: 'Auto', light: 'Light', dark: 'Dark' },
    themeLabel: 'Theme',
    present: 'Present',
    presenting: 'The words, the square and the sentence in large type (key P)',
    leave: 'Arrow keys: from scores to weights. Esc: back to the page.',
  },
  model: {
    label: 'Model',
    facts: (blocks, heads, width, size) => `${blocks} blocks, ${heads} heads, width ${width}, ${size}`,
    ownFile: 'Open a GGUF file…',
    drop: 'Drop a GPT-2 GGUF file to open it',
    list: 'Reading the list of models',
    opening: (name) => `Opening ${name}`,
    loading: (name, loaded, total) => `${name}: ${loaded} of ${total}`,
    none: 'No model is open.',
    stop: 'Stop',
    retrying: (failure) => `${failure} Trying again …`,
    blockNeeds: (block, size, host) =>
      `Block ${block} reads what the blocks before it wrote: that takes ${size} more${host ? ` from ${host}` : ''}.`,
  },
  origin: {
    rows: (host) =>
      `This model comes from ${host}. Which embedding rows the page fetches tells that host the tokens of your prompts, though not their order.`,
    whole: (host) =>
      `This model comes from ${host}. All of its embedding rows are here, so that no prompt makes a request of its own.`,
    load: (size) => `Load all rows, ${size} more`,
  },
  address: {
    unread: (name, value) => `The address says ${name}=${value}, which means nothing here; it is left out.`,
    block: (block, blocks) =>
      `The address asks for block ${count(block)}; this model has ${blocks === 1 ? 'block 0 alone' : `blocks 0 to ${blocks - 1}`}, so block ${blocks - 1} is shown.`,
    head: (head, heads) =>
      `The address asks for head ${count(head)}; a block of this model has ${heads === 1 ? 'head 0 alone' : `heads 0 to ${heads - 1}`}, so head ${heads - 1} is shown.`,
    row: (row, tokens) =>
      `The address asks for token ${count(row)}; this prompt has ${tokens === 1 ? 'token 0 alone' : `tokens 0 to ${tokens - 1}`}, so the last one is lit.`,
    off: (heads) => `The address switches off ${heads}, which this model does not have; it is left out.`,
    cell: 'The address names a number that this model and this prompt do not have; it is left out.',
  },
  drop: {
    others: (taken, others) =>
      `${taken} is opened. Only one file is taken at a time: ${others.join(', ')} is left out.`,
    folder: (name) => `${name} is a folder: drop a GGUF file.`,
  },
  computing: {
    stage: {
      embed: () => 'embedding',
      attention: (block) => `attention of block ${block}`,
      mlp: (block) => `MLP of block ${block}`,
      logits: () => 'logits',
    },
    progress: (stage, rows, total) => `Computing ${stage}: ${count(rows)} of ${count(total)} rows`,
  },
  offline: {
    ready: 'This page opens offline too.',
    partly: 'The page itself is kept for use offline; of its model perhaps not all.',
    newer:
      'This page opens offline too. A newer version is here; it opens once every tab with this page has been closed.',
    insecure:
      'Over plain http, browsers keep nothing: this page opens only while its server is there, and models are loaded anew each time.',
    unsupported:
      'This browser keeps no pages here (as in a private window or a sandboxed frame), so this one does not open offline.',
    failed: 'This page could not be kept, so it does not open offline yet; the next visit tries again.',
  },
  forbidden: (directive, address) =>
    `The host of this page forbids loading ${address} (Content-Security-Policy, ${directive}).`,
  failure: {
    open: (name, message) => `${name} could not be opened. ${message}`,
    compute: (message) => `The computation stopped. ${message}`,
    stays: (name) => `${name} stays in use.`,
    instead: (name) => `${name} is shown instead.`,
    lostFile: (name) => `This view was of a file on your disk (${name}): choose it again.`,
    notAccepted: (address) => `${address} is no address of a model: only those of web servers are accepted.`,
    foreign: (host) =>
      `This model comes from ${host}, which has been asked nothing yet. For a first figure the page fetches some megabytes from it, then the rest of the model. Which embedding rows it fetches tells ${host} the tokens of your prompts, unless all rows are fetched first.`,
    loadFrom: (host) => `Load from ${host}`,
    loadRowsFirst: 'Load all embedding rows first',
    again: 'Try again',
    manifest: (message) => `The list of models could not be read. ${message}`,
    manifestEntries: (entries) =>
      `The list of models has ${entries === 1 ? 'an entry' : `${count(entries)} entries`} without a name or a usable address; the others are offered.`,
    dismiss: 'Dismiss',
  },
};
