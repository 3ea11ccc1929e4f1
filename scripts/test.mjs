// `npm test`: everything that must hold, one step after another; each prints its time and its result.
//
//   node scripts/test.mjs [--no-browser] [--only word]
//
// The last line counts the tests of all runners, and each other step as one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL, setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

const { values: options } = parseArgs({
  options: { 'no-browser': { type: 'boolean' }, only: { type: 'string' } },
});

const results = join(root, 'build', 'test-results');

/** Commands of npm's scripts and of CMake's presets, so that each can be run by hand as it is here. */
const npm = (script, ...args) => ['npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])]];
const cmake = (preset) => [
  ['cmake', ['--preset', preset, '--log-level=WARNING']],
  ['cmake', ['--build', '--preset', preset, '--parallel', '2']],
];
const report = (name) => join(results, `${name}.xml`);

function presetSteps(preset, title) {
  return [
    { title: `${title}: build`, commands: cmake(preset) },
    {
      title: `${title}: tests`,
      commands: [['ctest', ['--preset', preset, '--output-junit', report(preset)]]],
      report: report(preset),
    },
  ];
}

const vitest = (project) => ({
  commands: [npm(`test:${project}`, '--reporter=default', '--reporter=junit', `--outputFile.junit=${report(project)}`)],
  report: report(project),
});

const STEPS = [
  { title: 'Format and lint', commands: [npm('lint')] },
  {
    title: 'Test data: vocabulary and a model of GPT-2 small’s shape',
    commands: [npm('vocabulary'), npm('shaped-model')],
  },
  { title: 'Scripts: tests', commands: [npm('test:scripts')] },
  ...presetSteps('asan', 'Engine with sanitizers'),
  ...presetSteps('scalar', 'Engine with scalar kernels only'),
  ...presetSteps('wasm-test', 'Engine in WebAssembly'),
  { title: 'Static analysis of the engine', commands: [npm('tidy')] },
  { title: 'Command: build', commands: cmake('cli') },
  { title: 'Command: tests', ...vitest('command') },
  { title: 'Page module', commands: cmake('wasm') },
  { title: 'Types of the page', commands: [npm('typecheck')] },
  { title: 'Page: unit tests', ...vitest('unit') },
  { title: 'Page: build', commands: [['vite', ['build', '--logLevel', 'warn']]] },
  { title: 'Page: size', commands: [npm('check:size')] },
  { title: 'Page: tests in Chromium', browser: true, ...vitest('browser') },
];

/** Sums a JUnit report: its first element with counts is the whole run. */
function count(path) {
  const head = /<testsuites?\b[^>]*\btests="[^>]*>/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  return { failed, passed: number('tests') - failed - number('skipped') - number('disabled') };
}

/** Runs one step. A runner that fails without a failed test, or that runs no test, is one failure. */
function perform(step) {
  const start = Date.now();
  console.log(`\n== ${step.title}`);
  const ok = step.commands.every(([command, args]) => {
    const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
    if (result.error) console.error(result.error.message);
    return result.status === 0;
  });
  let tally = { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
  if (step.report) {
    try {
      tally = count(step.report);
    } catch {
      tally = { passed: 0, failed: 0 };
    }
    if (tally.failed === 0 && (!ok || tally.passed === 0)) tally.failed = 1;
  }
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`-- ${step.title}: ${tally.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return tally;
}

setUp(options['no-browser'] ? ALL.filter((purpose) => purpose !== 'browser') : ALL);
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const start = Date.now();
const total = { passed: 0, failed: 0 };
const failedSteps = [];
for (const step of STEPS) {
  if (options.only && !step.title.toLowerCase().includes(options.only.toLowerCase())) continue;
  if (step.browser && options['no-browser']) {
    console.log(`\n== ${step.title}: left out, as --no-browser asks`);
    continue;
  }
  const { passed, failed } = perform(step);
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failedSteps.push(step.title);
}

console.log(`\nAll in ${Math.round((Date.now() - start) / 1000)} s`);
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
