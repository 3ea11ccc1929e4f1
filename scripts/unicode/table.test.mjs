import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { classRuns } from './runs.mjs';
import { formatTable, TABLE, tableVersion } from './table.mjs';

const committed = readFileSync(TABLE, 'utf8');
const sameUnicode = tableVersion(committed) === process.versions.unicode;

test('The committed table is what generate.mjs writes', {
  skip: sameUnicode ? false : `it is of Unicode ${tableVersion(committed)}, this Node has ${process.versions.unicode}`,
}, () => {
  assert.equal(committed, formatTable(classRuns(), process.versions.unicode));
});

test('The C++ header names the Unicode version of the table', () => {
  const header = readFileSync(join(dirname(TABLE), 'unicode_classes.h'), 'utf8');
  assert.ok(header.includes(`Unicode ${tableVersion(committed)}`));
});

test('Runs cover all code points in order, neighbours differ', () => {
  const runs = classRuns();
  assert.equal(runs[0].first, 0);
  for (const [i, run] of runs.entries()) {
    if (i === 0) continue;
    assert.ok(run.first > runs[i - 1].first);
    assert.notEqual(run.number, runs[i - 1].number);
  }
});
