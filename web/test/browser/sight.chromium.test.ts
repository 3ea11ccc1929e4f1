// What an address selects and explains is in sight, and covers nothing that it is read with.
import { expect, test } from 'vitest';
import { inThisBrowser } from './browsers';
import { servedPage } from './site';
import { box, text, until, within } from './view';

const { visitor } = inThisBrowser();
const site = servedPage();

test('a selected weight: its value stands beside it in the flow, not over the words', async () => {
  const { page } = await (await visitor()).open(`${site.url}#row=12&cell=p.12.4`);
  await text(page, within('hf-readout', '.value'), /^0\.978/);
  const [words, tensor] = [await box(page, within('hf-words')), await box(page, within('hf-flow', '[data-stage="p"]'))];
  const value = await until(async () => {
    const found = await box(page, within('hf-readout'));
    return found.y >= words.y + words.height ? found : null;
  });
  expect(value.y).toBeGreaterThan(tensor.y);
  expect(value.x).toBeGreaterThan(tensor.x - value.width);
});

test('an explained score: its cell is above the breakdown that covers the window’s foot', async () => {
  const trail = 'kq_soft_max-3.2.12.4*kq_scaled-3.2.12.4';
  const { page } = await (await visitor()).open(`${site.url}#row=12&cell=scaled.12.4&trail=${trail}`);
  await text(page, within('hf-breakdown', '.value b'), /^15\.26/);
  const { y: end } = await box(page, within('hf-breakdown'));
  await until(async () => {
    const { y, height } = await box(page, within('hf-flow', '[data-stage="scaled"]'));
    return y + height <= end && y + height > 0;
  });
});
