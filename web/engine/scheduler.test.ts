// Which call runs next: reads first, sessions in turn, nothing of a prompt that is gone.
import { expect, test } from 'vitest';
import { type Lane, laterByMessage, Scheduler, type Ticket } from './scheduler';

/** Lets the test decide when the next call runs. */
function stepping() {
  const due: (() => void)[] = [];
  return { scheduler: new Scheduler((run) => void due.push(run)), step: () => due.shift()?.(), due };
}

const lane = (): Lane => ({ served: 0 });

function ticket(of: Lane, order = 0, urgency: Ticket['urgency'] = 'compute', signal = new AbortController().signal) {
  return { lane: of, order, urgency, signal };
}

test('one call for each turn, and none before', async () => {
  const { scheduler, step, due } = stepping();
  const ran: number[] = [];
  const of = lane();
  const calls = [1, 2].map((i) => scheduler.call(ticket(of, i), () => ran.push(i)));
  expect(ran).toEqual([]);
  expect(due).toHaveLength(1);
  step();
  expect(ran).toEqual([1]);
  step();
  expect(ran).toEqual([1, 2]);
  expect(due).toEqual([]);
  await Promise.all(calls);
});

test('what is read goes before what is computed', () => {
  const { scheduler, step } = stepping();
  const ran: string[] = [];
  void scheduler.call(ticket(lane()), () => ran.push('compute'));
  void scheduler.call(ticket(lane(), 1, 'read'), () => ran.push('read'));
  step();
  step();
  expect(ran).toEqual(['read', 'compute']);
});

test('sessions take turns; within one, what was asked first goes first', () => {
  const { scheduler, step } = stepping();
  const [a, b] = [lane(), lane()];
  const ran: string[] = [];
  const keepCalling = (name: string, of: Lane, order: number) => {
    void scheduler.call(ticket(of, order), () => {
      ran.push(name);
      keepCalling(name, of, order);
    });
  };
  keepCalling('a2', a, 2);
  keepCalling('a1', a, 1);
  keepCalling('b', b, 1);
  for (let i = 0; i < 6; ++i) step();
  expect(ran).toEqual(['a1', 'b', 'a1', 'b', 'a1', 'b']);
});

test('a lane that starts anew is served next', () => {
  const { scheduler, step } = stepping();
  const lanes = [lane(), lane(), lane()];
  const ran: number[] = [];
  const keepCalling = (i: number) => {
    void scheduler.call(ticket(lanes[i] as Lane), () => {
      ran.push(i);
      keepCalling(i);
    });
  };
  for (const i of lanes.keys()) keepCalling(i);
  for (let i = 0; i < 3; ++i) step();
  (lanes[2] as Lane).served = 0;
  for (let i = 0; i < 3; ++i) step();
  expect(ran).toEqual([0, 1, 2, 2, 0, 1]);
});

test('an aborted call never runs, and says why', async () => {
  const { scheduler, step } = stepping();
  const prompt = new AbortController();
  let ran = false;
  const call = scheduler.call(ticket(lane(), 0, 'compute', prompt.signal), () => {
    ran = true;
  });
  prompt.abort(new Error('superseded'));
  step();
  await expect(call).rejects.toThrow('superseded');
  expect(ran).toBe(false);
});

test('what a call throws is its own affair', async () => {
  const { scheduler, step } = stepping();
  const failing = scheduler.call(ticket(lane()), () => {
    throw new Error('broken');
  });
  const fine = scheduler.call(ticket(lane(), 1), () => 'fine');
  step();
  step();
  await expect(failing).rejects.toMatchObject({ name: 'EngineError', code: 'internal' });
  await expect(fine).resolves.toBe('fine');
});

test('messages are heard between two calls', async () => {
  const { later, close } = laterByMessage();
  const scheduler = new Scheduler(later);
  const { port1, port2 } = new MessageChannel();
  const heard: string[] = [];
  port1.onmessage = () => heard.push('message');
  const of = lane();
  const call = (i: number) =>
    scheduler.call(ticket(of, i), () => {
      heard.push(`call ${i}`);
      if (i === 0) port2.postMessage(null);
    });
  await Promise.all([call(0), call(1), call(2)]);
  expect(heard.indexOf('message')).toBeLessThan(heard.indexOf('call 2'));
  port1.close();
  close();
});
