// The whole file: metadata and tensors, in the order in which a forward pass reads them.
import { Float32, Text, Uint32 } from '../lib/gguf-writer.mjs';
import { gpt2Vocabulary, vocabularyMetadata } from '../vocabulary/gpt2.mjs';
import { blockTensors } from './blocks.mjs';
import { positionEmbedding, tokenEmbedding } from './embeddings.mjs';
import { layerNorm } from './norms.mjs';
import { DIMENSIONS, LAST_NORMED, SHAPE, streamSizes } from './plan.mjs';

const MOSTLY_Q8_0 = 7;

export function shapedModel() {
  const vocabulary = gpt2Vocabulary();
  const metadata = [
    ['general.architecture', Text('gpt2')],
    ['general.name', Text('GPT-2 small, shaped weights')],
    ['general.quantization_version', Uint32(2)],
    ['general.file_type', Uint32(MOSTLY_Q8_0)],
    ['gpt2.block_count', Uint32(SHAPE.blocks)],
    ['gpt2.context_length', Uint32(SHAPE.context)],
    ['gpt2.embedding_length', Uint32(SHAPE.width)],
    ['gpt2.feed_forward_length', Uint32(SHAPE.hidden)],
    ['gpt2.attention.head_count', Uint32(SHAPE.heads)],
    ['gpt2.attention.layer_norm_epsilon', Float32(SHAPE.epsilon)],
    ...vocabularyMetadata(vocabulary),
  ];
  const tensors = [tokenEmbedding(vocabulary.tokens), positionEmbedding()];
  for (let block = 0; block < SHAPE.blocks; block++) tensors.push(...blockTensors(block));
  tensors.push(
    ...layerNorm('output_norm', streamSizes(SHAPE.blocks), LAST_NORMED, [
      [DIMENSIONS.frequency, LAST_NORMED.frequency],
    ]),
  );
  return { metadata, tensors };
}
