// docs/numbers.md has the tables that `npm run agreement` prints.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('the tables of docs/numbers.md are those of this build', () => {
  const tables = execFileSync(join(root, 'build', 'cli', 'headflow_agreement'), { encoding: 'utf8' });
  const page = readFileSync(join(root, 'docs', 'numbers.md'), 'utf8');
  const [, kept = ''] = /<!-- npm run agreement: begin -->\n(.*)<!-- npm run agreement: end -->/s.exec(page) ?? [];
  assert.ok(tables.length > 1000);
  assert.equal(kept.trim(), tables.trim(), 'run npm run agreement');
});
