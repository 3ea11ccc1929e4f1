// Writes cpp/tokenizer/unicode_runs.h, the table of character classes, from what this Node knows of Unicode.
// table.test.mjs says whether the committed one is current.
import { writeFileSync } from 'node:fs';
import { classRuns } from './runs.mjs';
import { formatTable, TABLE } from './table.mjs';

writeFileSync(TABLE, formatTable(classRuns(), process.versions.unicode));
