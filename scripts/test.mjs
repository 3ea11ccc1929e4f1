// `npm test`: everything that must hold, one step after another; each prints its time and its result.
//
//   node scripts/test.mjs [--no-browser] [--only word]
//
// The last line counts the tests of all runners, and each other step as one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL, setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

const { values: options } = parseArgs({
  options: { 'no-browser': { type: 'boolean' }, only: { type: 'string' } },
});

const results = join(root, 'build', 'test-results');

// Commands of npm's scripts and of CMake's presets: each can be run by hand as it is here.
const npm = (script, ...args) => ['npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])]];
const cmake = (preset) => ['node', ['scripts/cmake.mjs', preset]];
const report = (name) => join(results, `${name}.xml`);

const presetStep = (preset, title) => ({
  title,
  commands: [cmake(preset), ['ctest', ['--preset', preset, '--output-junit', report(preset)]]],
  report: report(preset),
});

const vitest = (project) => ({
  commands: [npm(`test:${project}`, '--reporter=default', '--reporter=junit', `--outputFile.junit=${report(project)}`)],
  report: report(project),
});

const scriptTests = readdirSync(join(root, 'scripts'), { recursive: true }).filter((name) =>
  name.endsWith('.test.mjs'),
);

const nodeTests = {
  commands: [
    [
      'node',
      [
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        '--test-reporter=junit',
        `--test-reporter-destination=${report('scripts')}`,
        ...scriptTests.map((name) => join('scripts', name)),
      ],
    ],
  ],
  report: report('scripts'),
};

const STEPS = [
  { title: 'Format and lint', commands: [npm('lint')] },
  {
    title: 'Test data: vocabulary and a model of GPT-2 small’s shape',
    commands: [npm('vocabulary'), npm('shaped-model')],
  },
  { title: 'Scripts: tests', ...nodeTests },
  presetStep('asan', 'Engine with sanitizers'),
  presetStep('wasm-test', 'Engine in WebAssembly'),
  { title: 'Static analysis of the engine', commands: [npm('tidy')] },
  { title: 'Command: build', commands: [cmake('cli')] },
  { title: 'Command: tests', ...vitest('command') },
  { title: 'Command: numbers of a float64 pass, verified', commands: [npm('check:golden')] },
  { title: 'Page module', commands: [cmake('wasm')] },
  { title: 'Types of the page', commands: [npm('typecheck')] },
  { title: 'Page: unit tests', ...vitest('unit') },
  { title: 'Page: build', commands: [['vite', ['build', '--logLevel', 'warn']]] },
  { title: 'Page: one file', commands: [['node', ['scripts/single.mjs']]] },
  { title: 'Page: size', commands: [npm('check:size')] },
  { title: 'Page: tests in Chromium and Firefox', browser: true, ...vitest('browser') },
];

/** Counts the tests of a JUnit report. */
function count(path) {
  const text = readFileSync(path, 'utf8');
  const elements = (pattern) => text.match(pattern)?.length ?? 0;
  const failed = elements(/<(failure|error)\b/g);
  const skipped = elements(/<skipped\b/g);
  return { failed, skipped, passed: elements(/<testcase\b/g) - failed - skipped };
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
  let tally = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
  if (step.report) {
    tally = existsSync(step.report) ? count(step.report) : { passed: 0, failed: 0, skipped: 0 };
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
const total = { passed: 0, failed: 0, skipped: 0 };
const failedSteps = [];
for (const step of STEPS) {
  if (options.only && !step.title.toLowerCase().includes(options.only.toLowerCase())) continue;
  if (step.browser && options['no-browser']) {
    console.log(`\n== ${step.title}: left out, as --no-browser asks`);
    continue;
  }
  const tally = perform(step);
  for (const key of Object.keys(total)) total[key] += tally[key];
  if (tally.failed > 0) failedSteps.push(step.title);
}

console.log(`\nAll in ${Math.round((Date.now() - start) / 1000)} s`);
if (total.skipped > 0) console.log(`Skipped: ${total.skipped} tests (the output above says why)`);
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
