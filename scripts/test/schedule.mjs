// Runs steps side by side: each as soon as the steps that it needs have ended, the first of the list first.

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string[]} [after] titles of steps whose results it needs; those that are not in the list count as done
 */

/**
 * @template {Step} S
 * @param {readonly S[]} steps
 * @param {number} slots how many run at a time, at most
 * @param {(step: S) => Promise<void>} perform
 */
export async function runSteps(steps, slots, perform) {
  const open = new Set(steps.map(({ title }) => title));
  const waiting = [...steps];
  const running = new Set();
  while (waiting.length > 0 || running.size > 0) {
    const ready = waiting.filter(({ after = [] }) => !after.some((title) => open.has(title)));
    for (const step of ready.slice(0, slots - running.size)) {
      waiting.splice(waiting.indexOf(step), 1);
      const run = perform(step).finally(() => {
        open.delete(step.title);
        running.delete(run);
      });
      running.add(run);
    }
    if (running.size === 0) throw new Error(`steps wait for each other: ${[...open].join(', ')}`);
    await Promise.race(running);
  }
}
