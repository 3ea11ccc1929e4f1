// `npm test`: everything that must hold. Steps that don't need each other run side by side; each prints its output as
// one block when it ends, with its time and its result.
//
//   node scripts/test.mjs [--no-browser] [--only word]
//
// The last line counts the tests of all runners, and each other step as one.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL, setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';
import { findFirefox } from './setup/system-packages.mjs';
import { countReports } from './test/junit.mjs';
import { runSteps } from './test/schedule.mjs';

const { values: options } = parseArgs({
  options: { 'no-browser': { type: 'boolean' }, only: { type: 'string' } },
});

const results = join(root, 'build', 'test-results');

// Commands of npm's scripts and of CMake's presets: each can be run by hand as it is here.
const npm = (script, ...args) => ['npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])]];
const cmake = (preset) => ['node', ['scripts/cmake.mjs', preset]];
const report = (name) => join(results, `${name}.xml`);

/** Builds a preset's test programs and runs them; each writes its report into the folder of the build. */
const testPrograms = (preset, build) => ({
  commands: [cmake(preset), ['ctest', ['--preset', preset]]],
  report: join(root, 'build', build, 'test-results'),
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

const DATA = 'Test data: vocabulary and a model of GPT-2 small’s shape';
const COMMAND = 'Command: build';
const MODULE = 'Page module';
const PAGE = 'Page: build';
const SINGLE = 'Page: one file';

// In the order in which they should begin: what others wait for first, then what takes long.
const STEPS = [
  { title: MODULE, commands: [cmake('wasm')] },
  { title: DATA, commands: [npm('vocabulary'), npm('shaped-model')] },
  { title: PAGE, after: [MODULE], commands: [['vite', ['build', '--logLevel', 'warn']]] },
  { title: SINGLE, after: [MODULE], commands: [['node', ['scripts/single.mjs']]] },
  { title: COMMAND, commands: [cmake('cli')] },
  {
    title: 'Page: tests in Firefox',
    after: [DATA, COMMAND, PAGE, SINGLE],
    browser: findFirefox,
    ...vitest('firefox'),
  },
  {
    title: 'Page: tests in Chromium',
    after: [DATA, COMMAND, PAGE, SINGLE],
    browser: () => true, // Set-up ends without one.
    ...vitest('chromium'),
  },
  { title: 'Engine with sanitizers', after: [DATA], ...testPrograms('asan', 'asan') },
  { title: 'Engine in WebAssembly', after: [DATA, MODULE], ...testPrograms('wasm-test', 'wasm') },
  { title: 'Static analysis of the engine', commands: [npm('tidy')] },
  { title: 'Command: numbers of a float64 pass, verified', after: [DATA, COMMAND], commands: [npm('check:golden')] },
  { title: 'Page: unit tests', after: [DATA, MODULE], ...vitest('unit') },
  { title: 'Command: tests', after: [DATA, COMMAND], ...vitest('command') },
  { title: 'Types of the page', after: [MODULE], commands: [npm('typecheck')] },
  { title: 'Page: size', after: [PAGE], commands: [npm('check:size')] },
  { title: 'Scripts: tests', ...nodeTests },
  { title: 'Format and lint', commands: [npm('lint')] },
];

/** Runs a command; true if it ends well. What it prints is added to `output`. */
function run([command, args], output) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (bytes) => output.push(bytes));
    child.stderr.on('data', (bytes) => output.push(bytes));
    child.on('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.on('close', (status) => resolve(status === 0));
  });
}

/** Runs one step. A runner that fails without a failed test, or that runs no test, is one failure. */
async function perform(step) {
  const start = Date.now();
  console.log(`.. ${step.title}`);
  const output = [];
  let ok = true;
  for (const command of step.commands) ok = ok && (await run(command, output));
  let tally = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
  if (step.report) {
    tally = countReports(step.report);
    if (tally.failed === 0 && (!ok || tally.passed === 0)) tally.failed = 1;
  }
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`\n== ${step.title}\n${Buffer.concat(output).toString('utf8').trimEnd()}`);
  console.log(`-- ${step.title}: ${tally.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  return tally;
}

/** Whether a step is to be run, as the options and the browsers of this machine have it. */
function wanted(step) {
  if (options.only && !step.title.toLowerCase().includes(options.only.toLowerCase())) return false;
  if (!step.browser || (!options['no-browser'] && step.browser())) return true;
  console.log(`== ${step.title}: left out${options['no-browser'] ? ', as --no-browser asks' : ': no such browser'}`);
  return false;
}

setUp(options['no-browser'] ? ALL.filter((purpose) => purpose !== 'browser') : ALL);
const steps = STEPS.filter(wanted);
rmSync(results, { recursive: true, force: true });
for (const step of steps) if (step.report) rmSync(step.report, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const start = Date.now();
const total = { passed: 0, failed: 0, skipped: 0 };
const failedSteps = [];
// Tests in browsers wait for much of their time: one step more than there are processors.
await runSteps(steps, Math.min(5, availableParallelism() + 1), async (step) => {
  const tally = await perform(step);
  for (const key of Object.keys(total)) total[key] += tally[key];
  if (tally.failed > 0) failedSteps.push(step.title);
});

console.log(`All in ${Math.round((Date.now() - start) / 1000)} s`);
if (total.skipped > 0) console.log(`Skipped: ${total.skipped} tests (the output above says why)`);
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
