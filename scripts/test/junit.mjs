// Counts the tests in JUnit reports, those of GoogleTest, vitest and Node alike.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ passed: number, failed: number, skipped: number }} Tally */

/** The tests of a report; one that failed in several ways counts once. @returns {Tally} */
export function countTests(xml) {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (const [testCase] of xml.matchAll(/<testcase\b(?:[^>]*\/>|[^>]*>.*?<\/testcase>)/gs)) {
    if (/<(failure|error)\b/.test(testCase)) tally.failed++;
    else if (/<skipped\b/.test(testCase)) tally.skipped++;
    else tally.passed++;
  }
  return tally;
}

/** The tests of a report, or of all reports in a folder; none where it does not exist. @returns {Tally} */
export function countReports(path) {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  if (!existsSync(path)) return tally;
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  for (const file of files) {
    const found = countTests(readFileSync(file, 'utf8'));
    for (const key of Object.keys(tally)) tally[key] += found[key];
  }
  return tally;
}
