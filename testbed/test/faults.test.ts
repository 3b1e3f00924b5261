/** How planted faults are read, chosen and planted, and what counts as caught; and whether those that are kept can be planted. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changesSince, commitOfADayAgo, concerned } from '../src/faults/changes.ts';
import { Checkout } from '../src/faults/checkout.ts';
import { type Fault, FaultError, parseFaults, plant, type Source } from '../src/faults/fault.ts';
import { colourOf, type VitestReport } from '../src/faults/run.ts';

const TEXT = `## door
# Anybody
# may enter.
test: test/door.test.ts
 function open(): void {
-if (key === undefined)
-  throw new Error('a key expected');
+  // nobody looks
`;

describe('a fault', () => {
  test('is read from its name, its description, its test, and the code before and after', () => {
    expect(parseFaults(`${TEXT}\n${TEXT.replace('## door', '## gate')}`)).toEqual(
      ['door', 'gate'].map((name) => ({
        name,
        description: 'Anybody may enter.',
        test: 'test/door.test.ts',
        before: "function open(): void {\nif (key === undefined)\nthrow new Error('a key expected');",
        after: 'function open(): void {\n// nobody looks',
      })),
    );
  });

  test('may take out without putting in', () => {
    expect(parseFaults('## door\n# Open.\ntest: a.test.ts\n-lock();\n')[0]?.after).toBe('');
  });

  test.each([
    ['no name', '# Open.\ntest: a.test.ts\n-lock();\n'],
    ['no description', '## door\ntest: a.test.ts\n-lock();\n'],
    ['no test', '## door\n# Open.\n-lock();\n'],
    ['no code', '## door\n# Open.\ntest: a.test.ts\n'],
    ['code that stays as it is', '## door\n# Open.\ntest: a.test.ts\n-lock();\n+  lock();\n'],
    ['a line without mark', '## door\n# Open.\ntest: a.test.ts\n-lock();\nunlock();\n'],
  ])('is refused with %s', (_, text) => {
    expect(() => parseFaults(text)).toThrow(FaultError);
  });
});

describe('a fault is planted', () => {
  const fault: Fault = {
    ...parseFaults(TEXT)[0]!,
    before: 'if (a[0] === 1)\nreturn $x;',
    after: 'return $& + $1;',
  };
  const here = { path: 'here.ts', text: 'f();\n  if (a[0] ===\n      1)   return $x;\ng();\n' };
  const elsewhere = { path: 'elsewhere.ts', text: 'if (a[0] === 2) return $x;\n' };

  test('where its code stands, however it is indented, and as it is written', () => {
    expect(plant(fault, [elsewhere, here])).toEqual({
      path: 'here.ts',
      text: 'f();\n  return $& + $1;\ng();\n',
      firstLine: 2,
      lastLine: 3,
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
  const root = new URL('../..', import.meta.url).pathname;
  const read = async (pattern: string) =>
    Promise.all(
      globSync(pattern, { cwd: root }).map(async (path) => ({
        path,
        text: await readFile(join(root, path), 'utf8'),
      })),
    );

  test('can all be planted, have a name each, and name test files that are there', async () => {
    const sources = await Checkout.sourcesOf(root);
    const faults = (await read('test/faults/*.faults')).flatMap(({ text }) => parseFaults(text));
    expect(faults).not.toEqual([]);
    const holders = new Map<string, Source[]>();
    for (const source of sources) {
      for (const word of new Set(source.text.match(/\w{5,}/g))) {
        const known = holders.get(word);
        if (known === undefined) holders.set(word, [source]);
        else known.push(source);
      }
    }
    /** The sources that have the rarest word of a fault's code; at its ends may be a part of a longer word. */
    const holdersOf = ({ before }: Fault) =>
      (before.match(/(?<=\W)\w{5,}(?=\W)/g) ?? [])
        .map((word) => holders.get(word) ?? [])
        .reduce<readonly Source[]>((a, b) => (b.length < a.length ? b : a), sources);
    const stale = faults.flatMap((fault) => {
      try {
        plant(fault, holdersOf(fault));
        return [];
      } catch (error) {
        return [`${fault.name}: ${(error as FaultError).message}`];
      }
    });
    expect(stale).toEqual([]);
    const names = faults.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    await Promise.all(faults.map((fault) => stat(join(root, fault.test))));
  });
});

describe('the faults that a change concerns', () => {
  const fault = (name: string, before: string, test: string): Fault => ({
    name,
    description: name,
    test,
    before,
    after: '',
  });
  const sources = [
    { path: 'far.ts', text: 'changed();\n\n\n\nfar();\nalso();\n' },
    { path: 'same.ts', text: 'same();\nbyItsTest();\n' },
  ];
  const far = fault('far', 'far();', 'same.test.ts');
  const near = fault('near', 'changed();', 'same.test.ts');
  const byItsTest = fault('by its test', 'byItsTest();', 'changed.test.ts');
  const untouched = fault('untouched', 'same();', 'same.test.ts');
  const stale = fault('stale', 'nowhere();', 'same.test.ts');

  test('are those whose code or test has changed, nearest first, and those to be renewed before all', () => {
    const changes = new Map<string, (readonly [number, number])[]>([
      ['far.ts', [[1, 1]]],
      ['changed.test.ts', [[7, 9]]],
    ]);
    expect(concerned([byItsTest, untouched, far, near, stale], sources, changes)).toEqual([
      stale,
      near,
      far,
      byItsTest,
    ]);
  });

  test('follow from what git says has changed, and from files that it does not track yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-changes-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
    try {
      git('init', '--quiet');
      await writeFile(join(folder, 'a.ts'), '1\n2\n3\n4\n');
      await writeFile(join(folder, 'b.ts'), '1\n');
      git('add', '.');
      git('commit', '--quiet', '--message', 'first', '--date', '2020-01-01T00:00:00Z');
      await writeFile(join(folder, 'a.ts'), '1\n2\nthree\n3\n');
      await writeFile(join(folder, 'c.ts'), '1\n');
      const first = commitOfADayAgo(folder);
      expect([...changesSince(folder, first)]).toEqual([
        [
          'a.ts',
          [
            [3, 3],
            [4, 4],
          ],
        ],
        ['c.ts', [[1, Number.MAX_SAFE_INTEGER]]],
      ]);
      expect(() => changesSince(folder, 'nowhere')).toThrow(FaultError);
    } finally {
      await rm(folder, { recursive: true });
    }
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
