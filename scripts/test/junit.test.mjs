import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTests } from './junit.mjs';

test('GoogleTest’s: a test with two failed expectations is one failed test', () => {
  const xml = `<testsuites tests="3"><testsuite name="A">
    <testcase name="one" status="run" />
    <testcase name="two" status="run">
      <failure message="a &gt; b" type=""><![CDATA[a > b]]></failure>
      <failure message="c" type=""><![CDATA[c]]></failure>
    </testcase>
    <testcase name="three" status="run"><skipped message="no file" /></testcase>
  </testsuite></testsuites>`;
  assert.deepEqual(countTests(xml), { passed: 1, failed: 1, skipped: 1 });
});

test('vitest’s and Node’s: empty elements and pairs, errors beside failures', () => {
  const xml = `<testsuite><testcase name="a &gt; b" time="1"/><testcase name="c" time="1">
    </testcase><testcase name="d"><error message="no"/></testcase></testsuite>`;
  assert.deepEqual(countTests(xml), { passed: 2, failed: 1, skipped: 0 });
});

test('a report without tests', () => {
  assert.deepEqual(countTests('<testsuites></testsuites>'), { passed: 0, failed: 0, skipped: 0 });
});
