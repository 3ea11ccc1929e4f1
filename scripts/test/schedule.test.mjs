import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSteps } from './schedule.mjs';

/** What happens when each step ends by itself, in the order in which it began. */
async function trace(steps, slots) {
  const events = [];
  let running = 0;
  let most = 0;
  await runSteps(steps, slots, async ({ title }) => {
    events.push(`${title} begins`);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    events.push(`${title} ends`);
  });
  return { events, most };
}

test('a step begins when those that it needs have ended', async () => {
  const { events } = await trace([{ title: 'tests', after: ['build'] }, { title: 'build' }, { title: 'lint' }], 3);
  assert.ok(events.indexOf('tests begins') > events.indexOf('build ends'));
  assert.equal(events.length, 6);
});

test('no more run at a time than there are slots', async () => {
  const steps = ['a', 'b', 'c', 'd', 'e'].map((title) => ({ title }));
  assert.equal((await trace(steps, 2)).most, 2);
  assert.equal((await trace(steps, 1)).most, 1);
});

test('a step that is left out holds up nobody', async () => {
  const { events } = await trace([{ title: 'tests', after: ['build'] }], 2);
  assert.deepEqual(events, ['tests begins', 'tests ends']);
});

test('steps that wait for each other are an error', async () => {
  const steps = [
    { title: 'a', after: ['b'] },
    { title: 'b', after: ['a'] },
  ];
  await assert.rejects(trace(steps, 2), /wait for each other: a, b/);
});
