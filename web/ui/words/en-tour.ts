// The words of the tour, in English.
import type { TourWords } from './tour';

export const enTour: TourWords = {
  label: 'Tour of one prediction',
  place: (step, steps) => `${step} of ${steps}`,
  back: 'Back',
  next: 'Next',
  reveal: 'Show the answer',
  leave: 'Leave the tour',
  right: 'Yes.',
  wrong: 'Not that one. Look again, or show the answer.',
  waiting: 'The numbers of this prompt are being computed …',
  lacking: (size) => `The tour needs the whole model; ${size} of it are not loaded.`,
  load: (size) => `Load ${size}`,
  alone: 'One token has nothing else to read: give the prompt a few more words.',
  failed: (message) => `The numbers of this prompt could not be computed. ${message}`,
  writers: { heads: 'the heads', mlps: 'the MLPs' },
  steps: {
    next: {
      title: 'What comes next?',
      ask: ({ last }) =>
        `After ${last} the model gives every token of its vocabulary a probability. Point at the one it finds likeliest.`,
      answer: ({ next, probability }) =>
        `${next}, with ${probability}. Everything that follows asks where that comes from.`,
    },
    told: {
      title: 'Which token told it?',
      ask: ({ last, head }) =>
        `Head ${head} is shown. Its bars say how much ${last} reads of each token so far. Point at the word it reads most.`,
      answer: ({ last, head, read, readAt, weight }) =>
        `In head ${head}, ${last} reads ${read} (${readAt}) with weight ${weight}. The weights of a row add up to 1.`,
    },
    head: {
      title: 'Which head read it?',
      ask: ({ next }) =>
        `Under each head of the map a bar says what it writes straight into the score of ${next}. Point at the head that writes most.`,
      answer: ({ head, writes, next }) =>
        `Head ${head} adds ${writes} to the logit of ${next}, with the final norm’s scale held fixed.`,
    },
    compares: {
      title: 'What does the head compare?',
      ask: ({ last, headDim }) =>
        `The query of ${last} is multiplied with the key of each token and divided by √${headDim}. In the last row of the square, point at the largest score.`,
      answer: ({ scored, score }) =>
        `The score with ${scored} is ${score}, the largest of the row; softmax turns the row into weights.`,
    },
    projects: {
      title: 'Where do Q, K and V come from?',
      ask: ({ width, headDim }) =>
        `All ${width} numbers of each row of Z go into one product with W_QKV; each head keeps ${headDim} columns of its thirds. Point at a number of this head’s query.`,
      answer: ({ heads, headDim, width }) =>
        `Q of this head is ${headDim} of the ${width} columns of the first third; the other ${heads - 1} heads keep the others. Click a number to see its ${width} products.`,
    },
    carries: {
      title: 'What does the head carry away?',
      ask: ({ last }) =>
        `The weights of ${last} mix the rows of V: mostly that of the token it reads. Point at the result, the head’s output O.`,
      answer: ({ read, weight, headDim }) =>
        `Each row of O has ${headDim} numbers: ${weight} times the value of ${read}, and the rest of the row’s weights times the others.`,
    },
    joined: {
      title: 'How are the heads joined?',
      ask: ({ heads, headDim }) =>
        `Concat lays the outputs of ${heads} heads side by side, ${headDim} columns each; nothing is added. Point at the columns of this head.`,
      answer: ({ headDim, width }) =>
        `Those ${headDim} columns are this head’s. The output projection W_O then mixes all ${width} into one update, A.`,
    },
    residual: {
      title: 'What does the update do?',
      ask: () =>
        'A is added to what came into the block, X: the residual stream goes on with the sum. Point at a number of the sum, R.',
      answer: ({ blocks }) =>
        `Each number of R is one of X plus one of A. Nothing is overwritten; ${blocks} blocks add to the same stream.`,
    },
    mlp: {
      title: 'And the MLPs?',
      ask: ({ next }) =>
        `After attention, each block’s MLP adds an update of its own, token by token. Which wrote more into the logit of ${next}: all heads together, or all MLPs?`,
      answer: ({ fromHeads, fromMlps, headsWriteMore }) =>
        `${headsWriteMore ? 'The heads' : 'The MLPs'}: heads ${fromHeads}, MLPs ${fromMlps}, the final norm’s scale held fixed. The embeddings and biases make up the rest.`,
    },
    without: {
      title: 'And without that head?',
      ask: ({ head, next, probability }) => `${next} has ${probability}. Switch head ${head} off, below the square.`,
      answer: ({ head, next, probability, without }) =>
        `Without head ${head}, ${next} goes from ${probability} to ${without}. What a head writes directly and what its absence costs are two things: try the others.`,
    },
  },
};
