// `npm run check:golden`: proves `headflow verify` on the model of GPT-2 small's shape, with numbers that do not come
// from the engine: both golden files hold, and a golden file with one wrong number fails.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset } from '../cmake.mjs';
import { setUp } from '../setup/main.mjs';
import { root } from '../setup/paths.mjs';
import { PATH } from '../shaped-model/write.mjs';
import { goldenPath, writeGolden } from './write.mjs';

const failures = [];

/** Runs `headflow verify`; prints the table's failed rows and the largest differences. */
function verify(title, expected, ...options) {
  const { status, stdout, stderr } = spawnSync(join(root, 'build', 'cli', 'headflow'), ['verify', PATH, ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  const failed = rows.filter((row) => row.endsWith('| FAILED |'));
  console.log(`${title}: exit code ${status}, ${failed.length} of ${rows.length - 2} rows failed`);
  if (stderr !== '') console.error(stderr);
  if (status !== expected.status || !expected.failed(failed.length)) {
    failures.push(`${title}: exit code ${status}, ${failed.length} failed`);
    for (const row of failed) console.error(row);
  }
  return rows;
}

/** The largest difference of the rows whose name matches. */
function largest(rows, pattern) {
  const differences = rows.filter((row) => pattern.test(row)).map((row) => Number(row.split(' | ').at(-3)));
  return Math.max(...differences).toPrecision(2);
}

setUp(['cli']);
if (!buildPreset('cli')) process.exit(1);
writeGolden();
for (const rounded of [true, false]) {
  const path = goldenPath(rounded);
  const title = rounded ? 'float64, activations rounded' : 'float64, activations as they are';
  const rows = verify(title, { status: 0, failed: (count) => count === 0 }, '--golden', path);
  const kinds = { 'embeddings and X_0': /embd|inpL/, scores: /kq-0/, softmax: /kq_soft_max/, V: /Vcur/, O: /kqv-0/ };
  for (const [kind, pattern] of Object.entries(kinds)) console.log(`  ${kind}: at most ${largest(rows, pattern)}`);
  console.log(`  log probabilities: at most ${largest(rows, /log probability/)}`);

  const wrong = JSON.parse(readFileSync(path, 'utf8'));
  const row = wrong['prompt How are']['block 0']['V head 0, first 3'][1];
  row[2] += 10 * wrong.tolerances.values;
  const wrongPath = path.replace('.json', '-wrong.json');
  writeFileSync(wrongPath, JSON.stringify(wrong));
  verify(`${title}, one number wrong`, { status: 1, failed: (count) => count === 1 }, '--golden', wrongPath);
}
verify('the numbers of GPT-2 small, whose weights these are not', { status: 1, failed: (count) => count > 10 });

for (const failure of failures) console.error(failure);
process.exit(failures.length > 0 ? 1 : 0);
