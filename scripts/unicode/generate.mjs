// Writes cpp/tokenizer/unicode_runs.h, the table of character classes, from what this Node knows of Unicode.
// `--check` writes nothing and says whether the committed table is what would be written.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { classRuns } from './runs.mjs';
import { formatTable, tableVersion } from './table.mjs';

const path = fileURLToPath(new URL('../../cpp/tokenizer/unicode_runs.h', import.meta.url));
const version = process.versions.unicode;
const table = formatTable(classRuns(), version);

if (process.argv.includes('--check')) {
  const committed = readFileSync(path, 'utf8');
  const committedVersion = tableVersion(committed);
  if (committedVersion !== version) {
    console.log(
      `Unicode table: of Unicode ${committedVersion}; this Node knows ${version}, so it can't be checked here.`,
    );
  } else if (committed !== table) {
    console.error('cpp/tokenizer/unicode_runs.h is not what scripts/unicode/generate.mjs writes: run it and commit.');
    process.exitCode = 1;
  } else {
    console.log(`Unicode table: current, Unicode ${version}.`);
  }
} else {
  writeFileSync(path, table);
}
