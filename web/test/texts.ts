// Texts of exactly 64 GPT-2 tokens each, of different kinds: what a reader may put into the page.
import { encode } from 'gpt-tokenizer/encoding/r50k_base';

export const TOKENS = 64;

const TEXTS = {
  news: 'The city council voted late on Tuesday to close two of its three swimming pools, saying that repairs after the winter storms would cost more than 40 million dollars. Opponents, led by a group of parents, said on Wednesday they would ask a regional court to stop the whole plan, which the mayor called painful but necessary.',
  technical:
    'A hash table with open addressing stores every entry in one contiguous array. When a slot is occupied, the probe sequence visits the next candidate until it finds an empty one; deletions therefore leave a tombstone, and the table must be rebuilt once the load factor exceeds about 0.7, or lookups degrade badly.',
  memoir:
    'My grandmother kept bees behind the chapel, and every August she walked between the hives without gloves, humming. I was afraid of them until the summer I turned nine, when she put a frame of honeycomb into my hands and told me to listen. It sounded like rain on a far roof, or distant applause.',
  science:
    'Photosynthetic bacteria in the sediment oxidise hydrogen sulphide to elemental sulphur, which accumulates as granules inside the cell membrane. Under anaerobic conditions the electrons reduce carbon dioxide through the Calvin cycle, whose key enzyme, ribulose bisphosphate carboxylase, is inhibited by oxygen.',
  recipe:
    'Preheat the oven to 220 degrees. Whisk the eggs with a little salt, fold in the grated courgettes, crumbled feta and chopped dill, then pour it all into a buttered dish. Bake for 25 minutes until golden, and serve lukewarm with yoghurt and lemon.',
  contract:
    'The tenant shall give the landlord notice in writing of any defect within fourteen days after becoming aware of it. Where the landlord fails to remedy the defect within a reasonable period, the tenant may withhold a proportionate part of the monthly rent, provided that the arrears do not exceed two such instalments in all.',
  code: 'for (const [name, tensor] of Object.entries(weights)) {\n  if (!shapes.has(name)) throw new RangeError(name);\n  const { size } = shapes.get(name);\n  console.assert(tensor.length === size);\n}',
};

export const texts = Object.entries(TEXTS).map(([kind, text]) => {
  const tokens = encode(text);
  if (tokens.length !== TOKENS) throw new Error(`${kind}: ${tokens.length} tokens`);
  return { kind, text, tokens };
});
