/** How planted faults are read, where they are planted, and what counts as caught; and whether those that are kept can be planted. */
import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fault, FaultError, parseFault, plant } from '../src/faults/fault.ts';
import { colourOf, type VitestReport } from '../src/faults/run.ts';

const TEXT = `# Anybody
# may enter.
test: test/door.test.ts
 function open(): void {
-if (key === undefined)
-  throw new Error('a key expected');
+  // nobody looks
`;

describe('a fault', () => {
  test('is read from its description, its test, and the code before and after', () => {
    expect(parseFault('01-door', TEXT)).toEqual({
      name: '01-door',
      description: 'Anybody may enter.',
      test: 'test/door.test.ts',
      before: "function open(): void {\nif (key === undefined)\nthrow new Error('a key expected');",
      after: 'function open(): void {\n// nobody looks',
    });
  });

  test('may take out without putting in', () => {
    expect(parseFault('02-door', '# Open.\ntest: a.test.ts\n-lock();\n').after).toBe('');
  });

  test.each([
    ['no description', 'test: a.test.ts\n-lock();\n'],
    ['no test', '# Open.\n-lock();\n'],
    ['no code', '# Open.\ntest: a.test.ts\n'],
    ['code that stays as it is', '# Open.\ntest: a.test.ts\n-lock();\n+  lock();\n'],
    ['a line without mark', '# Open.\ntest: a.test.ts\n-lock();\nunlock();\n'],
  ])('is refused with %s', (_, text) => {
    expect(() => parseFault('03-door', text)).toThrow(FaultError);
  });
});

describe('a fault is planted', () => {
  const fault: Fault = {
    ...parseFault('01-door', TEXT),
    before: 'if (a[0] === 1)\nreturn $x;',
    after: 'return $& + $1;',
  };
  const here = { path: 'here.ts', text: 'f();\n  if (a[0] ===\n      1)   return $x;\ng();\n' };
  const elsewhere = { path: 'elsewhere.ts', text: 'if (a[0] === 2) return $x;\n' };

  test('where its code stands, however it is indented, and as it is written', () => {
    expect(plant(fault, [elsewhere, here])).toEqual({
      path: 'here.ts',
      text: 'f();\n  return $& + $1;\ng();\n',
    });
  });

  test.each([
    ['nowhere', [elsewhere]],
    ['at two places of one file', [{ path: 'twice.ts', text: here.text + here.text }]],
    ['in two files', [here, { ...here, path: 'copy.ts' }]],
  ])('not where its code stands %s: it has to be renewed', (_, sources) => {
    expect(() => plant(fault, sources)).toThrow(/renew/);
  });
});

describe('the faults that are kept', () => {
  const root = new URL('../../..', import.meta.url).pathname;
  const read = async (pattern: string) =>
    Promise.all(
      globSync(pattern, { cwd: root }).map(async (path) => ({
        path,
        text: await readFile(join(root, path), 'utf8'),
      })),
    );

  test('can all be planted, and name test files that are there', async () => {
    const sources = await read('{services,shared}/*/{src,bin}/**/*.ts');
    const kept = await read('test/faults/*.patch');
    expect(kept).not.toEqual([]);
    const faults = kept.map(({ path, text }) => parseFault(path, text));
    const stale = faults.flatMap((fault) => {
      try {
        plant(fault, sources);
        return [];
      } catch (error) {
        return [`${fault.name}: ${(error as FaultError).message}`];
      }
    });
    expect(stale).toEqual([]);
    await Promise.all(faults.map((fault) => stat(join(root, fault.test))));
  });

  test('have a number each, by which --only finds them', () => {
    const numbers = globSync('test/faults/*.patch', { cwd: root }).map((path) => /(\d+)-/.exec(path)![1]);
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([]);
  });
});

describe('a test file', () => {
  const report = (status: string, ...tests: string[]): VitestReport => ({
    testResults: [
      { name: '/a.test.ts', status, assertionResults: tests.map((it) => ({ status: it, fullName: it })) },
    ],
  });

  test.each([
    ['is red when a test of it failed', report('failed', 'passed', 'failed'), 'red'],
    ['is green when it passed', report('passed', 'passed'), 'green'],
    ['is broken when it failed without a test that did', report('failed', 'skipped'), 'broken'],
    ['is broken when it could not be loaded', report('failed'), 'broken'],
    ['is broken when it is not in the report', { testResults: [] }, 'broken'],
  ])('%s', (_, given, colour) => {
    expect(colourOf(given, '/a.test.ts').colour).toBe(colour);
  });
});
