// Attacks the command with malformed and changed files and with odd arguments, and the built page with faults of servers
// and storage: npm run attack [-- --seed 1 --files 200 --only files,arguments,page]. Needs both to be built.
import { parseArgs } from 'node:util';
import { ARGUMENTS } from './arguments.mjs';
import { attack, problems, runs } from './command.mjs';
import { attackFiles } from './files.mjs';
import { attackPage } from './page.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '200' },
    only: { type: 'string', default: 'files,arguments,page' },
  },
});
const wanted = new Set(options.only.split(','));

if (wanted.has('files')) {
  const { read, refused } = attackFiles(Number(options.files), Number(options.seed));
  console.log(`${options.files} files: ${read} read, ${refused} refused`);
}
if (wanted.has('arguments')) {
  for (const args of ARGUMENTS) attack('arguments', args);
  console.log(`${ARGUMENTS.length} odd arguments`);
}
if (wanted.has('page')) console.log(`${await attackPage()} faults of servers and storage, through the page`);

console.log(`${runs} runs of the command`);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'All ended as they should' : `${problems.length} did not`);
process.exit(problems.length === 0 ? 0 : 1);
