/** `npm run study` from its command line to its report, of a made-up study: measured, interrupted by failures and taken up again, written again, contradicted. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runStudies } from '../../instrument/main.ts';
import { readOwnData } from '../../instrument/own-data.ts';
import { recordsOf, StudyResults } from '../../instrument/results.ts';
import type { Study, StudyGroup } from '../../instrument/study.ts';
import { madeUpGroup, WORDS } from './made-up.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-study-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (name: string) => readFile(join(folder, name), 'utf8');
const results = async (within = '') => StudyResults.parse(JSON.parse(await read(`${within}report.json`)));

/** Runs the command in this process, and gives what it printed. */
async function study(group: StudyGroup, ...args: readonly string[]) {
  const printed = { output: '', errors: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name === 'stdout' ? 'output' : 'errors'] += String(text);
      return true;
    }),
  );
  try {
    await runStudies({ 'made-up': async () => group }, folder, ['node', 'study', ...args]);
    return { code: process.exitCode, ...printed };
  } finally {
    process.exitCode = undefined; // the command sets it
    for (const spy of spies) spy.mockRestore();
  }
}

const lastLine = (output: string) =>
  JSON.parse(output.trimEnd().split('\n').at(-1)!) as Record<string, unknown>;

describe('a made-up study', () => {
  test('is measured to its end, and its facts are printed last and stand in its words', async () => {
    const group = await madeUpGroup();
    const { code, output, errors } = await study(group, 'made-up', '--full', '--out', folder);
    expect(code).toBe(0);
    expect(errors).toContain('[3/3] made-up/throws: arm 3');
    // Arms of 1, 2 and 3, each with both strengths, and 0 to 0.3 m more: 1.5 · 2 + 0.15.
    const facts = {
      'throws.far': { value: expect.closeTo(3.15), text: '3.15 m' },
      'throws.gain': { value: expect.closeTo(1.93, 1), text: expect.stringContaining('×') },
      'throws.longest': { value: 6, text: '6' },
    };
    expect(lastLine(output)).toMatchObject({ facts, cases: 3 });
    expect((await results()).facts).toEqual(facts);
    const markdown = await read('report.md');
    for (const text of [
      'What is thrown, and 3.15 m.',
      'A throw goes 3.15 m on average',
      'Longer arms throw farther: 1.9',
    ])
      expect(markdown).toContain(text);
    // 1, 1.1, 1.2 and 1.3 m.
    expect(markdown).toContain('| 1 | 1.15 ± 0.13 | 2.15 ± 0.13 |');
    expect(markdown).toContain('![Metres over the arm](charts/growth.svg)');
    expect(await readdir(join(folder, 'charts'))).toEqual(['growth.svg']);
  });

  test('has fewer cases in a quick run, settings of its own, and no conclusions there', async () => {
    const { code, output } = await study(
      await madeUpGroup(),
      ...['made-up/throws', '--quick', '--json', '--repetitions', '3', '--out', folder],
    );
    expect(code).toBe(0);
    expect(output.split('\n')).toHaveLength(2);
    const { cases, omissions, description } = await results();
    expect(cases.map((one) => [one.id, recordsOf(one).length])).toEqual([
      ['made-up/throws/1/3', 6],
      ['made-up/throws/2/3', 6],
    ]);
    expect([omissions, description.chosen]).toEqual([
      [{ what: 'arm 3', why: 'left to the full run' }],
      { repetitions: '3' },
    ]);
    const markdown = await read('report.md');
    expect(markdown).toContain('Conclusions are drawn from full runs.');
    expect(markdown).not.toContain('throw farther');
  });

  test('leaves what it has where a case fails, and goes on from there', async () => {
    const breaks: { arm?: number } = { arm: 2 };
    const group = await madeUpGroup(breaks);
    const first = await study(group, 'made-up', '--quick', '--out', folder);
    expect(first.code).not.toBe(0);
    expect(first.errors).toContain('1 of 2 cases failed');
    expect((await results()).omissions).toContainEqual({
      what: 'made-up/throws: arm 2',
      why: expect.stringContaining('an arm that broke'),
    });
    const [kept] = (await results()).cases;
    delete breaks.arm;
    const second = await study(group, 'made-up', '--quick', '--out', folder);
    expect(second.errors).toContain('going on with 1 cases');
    expect((await results()).cases).toEqual([kept, expect.objectContaining({ id: 'made-up/throws/2/2' })]);
    // After its end a run starts anew.
    expect((await study(group, 'made-up', '--quick', '--out', folder)).errors).not.toContain('going on');
  });

  test('fails where a conclusion does not hold, or where words name a fact that was not measured', async () => {
    const group = await madeUpGroup();
    const [throws] = group.studies;
    const never = { ...throws, holds: { grows: () => false } };
    const contradicted = await study({ ...group, studies: [never] }, 'made-up', '--out', folder);
    expect(contradicted.code).not.toBe(0);
    expect(contradicted.errors).toContain('contradicted: Longer arms throw farther');
    expect(await read('report.md')).toContain('**Contradicted by this run:** Longer arms throw farther');
    const missing = await study(
      await madeUpGroup({}, `${WORDS}\nThe longest: {{longest}}.\n`),
      ...['made-up', '--quick', '--out', folder],
    );
    expect(missing.code).not.toBe(0);
    expect(missing.errors).toContain('missing: the fact longest');
  });

  test('refuses words that name what the study does not have', async () => {
    const { code, errors } = await study(
      await madeUpGroup({}, '# made-up/throws: some\n\n{{nothing}}'),
      ...['made-up', '--quick', '--out', folder],
    );
    expect(code).not.toBe(0);
    expect(errors).toContain('"nothing" not defined');
  });

  test('is written again from its report alone', async () => {
    const group = await madeUpGroup();
    await study(group, 'made-up', '--full', '--out', folder);
    const before = await read('report.md');
    const kept = join(folder, 'kept.json');
    await writeFile(kept, (await read('report.json')).replaceAll(/"cores": \d+/g, '"cores": 4711'));
    const { code } = await study(group, 'made-up', '--render', kept, '--out', folder);
    expect(code).toBe(0);
    expect(await read('report.md')).toBe(before.replace(/\d+ cores/, '4711 cores'));
    await writeFile(kept, '{"format":"eigenveil-study/1"}');
    const refused = await study(group, 'made-up', '--render', kept, '--out', folder);
    expect([refused.code, refused.errors]).toEqual([
      2,
      expect.stringContaining('expected a report.json of this program'),
    ]);
  });

  test('is listed; what is not there is refused with what is', async () => {
    const group = await madeUpGroup();
    await mkdir(join(folder, 'studies'));
    const remark = '<!-- takes no rows: it measures none -->';
    const rowless = `# made-up/catches: who catches\n\n${remark}\n\n## Catches\n`;
    await writeFile(join(folder, 'studies/b.md'), WORDS);
    await writeFile(join(folder, 'studies/a.md'), rowless);
    expect((await study(group, '--list')).output).toMatch(
      /^made-up\/catches +who catches \(takes no rows\)\nmade-up\/throws +how far an arm throws\n$/,
    );
    const refused = await study(group, 'made', '--quick');
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining('made-up')]);
    const unknown = await study(group, 'made-up/catches', '--quick');
    expect([unknown.code, unknown.errors]).toEqual([
      2,
      expect.stringContaining('"NAME" expected one of made-up/throws; got made-up/catches'),
    ]);
    const other = await study(group, 'made-up', '--only', 'throws,catches');
    expect([other.code, other.errors]).toEqual([2, expect.stringContaining('Expected some of throws.')]);
  });
});

describe('a study that stands apart from its group', () => {
  /** A group of two made-up studies, of which one is measured by name alone. */
  async function groupOfTwo() {
    const group = await madeUpGroup();
    const [throws] = group.studies;
    const columns = { ...throws.columns, arm: { title: 'arm', form: { digits: 1 } } };
    const json: Study['json'] = (records, run) => ({ run, throws: records.length });
    return {
      ...group,
      studies: [throws, { ...throws, columns, id: 'made-up/apart', isApart: true as const, json }],
    };
  }

  test('is measured where it is named, with its own title and tables, and without the words of the group', async () => {
    const group = await groupOfTwo();
    await study(group, 'made-up', '--out', folder);
    expect((await results()).description.studies).toEqual(['made-up/throws']);
    const { code, output } = await study(group, 'made-up/apart');
    expect(code).toBe(0);
    expect(output).toContain('| 1.0 | 1.15 ± 0.13 | 2.15 ± 0.13 |');
    const markdown = await read('out/made-up/apart/report.md');
    expect(markdown).toContain('# how far an arm throws\n');
    expect(markdown).not.toContain('What is thrown');
  });

  test('prints JSON of a form of its own with the run, whose command is that of package.json', async () => {
    const scripts = { other: 'node scripts/study.ts made-up', apart: 'node scripts/study.ts made-up/apart' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const group = await groupOfTwo();
    const { output } = await study(group, 'made-up/apart', '--quick', '--json', '--repetitions', '3');
    expect(JSON.parse(output)).toEqual({
      run: {
        command: 'npm run apart -- --quick --repetitions 3',
        ...{
          finishedAt: expect.any(String),
          environment: (await results('out/made-up/apart/')).description.environment,
        },
      },
      throws: 12,
    });
  });

  test('leaves conclusions of the group to runs of all its other studies', async () => {
    const group = await groupOfTwo();
    const words = pathToFileURL(join(folder, 'words.md'));
    await writeFile(
      words,
      '# made-up/some: some\n\n{{#conclusions}}All were measured.{{else}}Some were.{{/conclusions}}',
    );
    const [throws, apart] = group.studies.map((one) => ({ ...one, words, charts: {} }));
    const three = { ...group, words, studies: [throws!, apart!, { ...throws!, id: 'made-up/more' }] };
    await study(three, 'made-up', '--out', folder);
    expect(await read('report.md')).not.toContain('Some were.');
    await study(three, 'made-up', '--only', 'throws,apart', '--out', folder);
    expect(await read('report.md')).toContain('Some were.');
  });
});

describe("the user's own rows", () => {
  const HEADER = 'width,height,kind';
  const lines = (count: number, kind: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => `${i},${i % 7},${kind(i)}`);
  const own = async (content: readonly string[], ...args: readonly string[]) => {
    const file = join(folder, 'own.csv');
    await writeFile(file, `${content.join('\n')}\n`);
    return study(
      await madeUpGroup(),
      ...['made-up', '--quick', '--data', file, '--label', 'kind', '--out', folder, ...args],
    );
  };
  const RANGES = ['--range', 'width=0:100', 'height=0:7'];

  test('take the place of all data sets', async () => {
    const content = [HEADER, ...lines(60, (i) => (i % 2 === 0 ? 'even' : 'odd'))];
    expect((await own(content, ...RANGES)).code).toBe(0);
    const { cases, description } = await results();
    expect(cases.map(({ parameters }) => parameters.rows)).toEqual([60, 60]);
    expect(description.chosen.data).toMatch(/^own, 60 × 2, SHA-256 [0-9a-f]{64}$/);
    expect(await read('report.md')).toContain(
      'A quick run, over rows of its user’s own in place of all data sets (own, 60 × 2, SHA-256',
    );
    const file = join(folder, 'ranges.json');
    await writeFile(file, '{"width": [0, 100], "height": [0, 7]}');
    expect((await own(content, '--ranges', file)).code).toBe(0);
  });

  test('leave out studies of a group that do not take them, and say in a sentence which facts they lack', async () => {
    const file = join(folder, 'own.csv');
    await writeFile(file, [HEADER, ...lines(60, (i) => `${i % 2}`)].join('\n'));
    const group = await madeUpGroup({}, `${WORDS}\nThe longest: {{longest}}.\n`);
    const [throws] = group.studies;
    const page = pathToFileURL(join(folder, 'rowless.md'));
    await writeFile(
      page,
      '# made-up/rowless: none\n\n<!-- takes no rows: it measures noise -->\n\n## None\n',
    );
    const rowless = { ...throws, id: 'made-up/rowless', words: page };
    const own = ['--quick', '--data', file, '--label', 'kind', ...RANGES, '--out', folder];
    const both = { ...group, studies: [rowless, throws] };
    const { code, output, errors } = await study(both, 'made-up', ...own);
    expect([code, errors]).toEqual([
      0,
      expect.stringContaining('left out: made-up/rowless: it takes no rows'),
    ]);
    expect(Object.keys(lastLine(output).facts as object)).toEqual(['throws.far', 'throws.gain']);
    const report = await read('report.md');
    expect(report).toContain('The longest: – (known of the bundled data sets alone).');
    expect(report).toContain('- made-up/rowless: it takes no rows, as it measures noise');
    const alone = await study(both, 'made-up/rowless', ...own);
    expect([alone.code, alone.errors]).toEqual([2, expect.stringContaining('it takes no rows')]);
  });

  test.each([
    ['label', 'kind'],
    ['private-label', 'who'],
    ['ranges', 'ranges.json'],
    ['range', 'width=0:1'],
  ])('are not forgotten where --%s stands without them', async (name, value) => {
    const { code, errors } = await study(await madeUpGroup(), 'made-up', `--${name}`, value);
    expect([code, errors]).toEqual([2, expect.stringContaining(`"--${name}" expected "--data FILE"`)]);
  });

  test('may have a private label, which is no number of theirs', async () => {
    const file = join(folder, 'two.csv');
    const people = ['ann', 'bob', 'ann', 'eve'];
    const content = lines(60, (i) => `${i % 2},${people[i % 4]}`);
    await writeFile(file, [`${HEADER},who`, ...content].join('\n'));
    const range = ['width=0:100', 'height=0:7'];
    const rows = await readOwnData({ data: file, label: 'kind', privateLabel: 'who', range });
    expect(rows).toMatchObject({ columns: ['width', 'height'], classes: ['0', '1'] });
    expect(rows.privateLabels!.slice(0, 4)).toEqual([0, 1, 0, 2]);
    expect(rows.rows[59]).toEqual([59, 3]);
    // Values beyond a range are its nearer end.
    const narrow = await readOwnData({
      data: file,
      label: 'kind',
      privateLabel: 'who',
      range: ['width=9:50', 'height=0:7'],
    });
    expect([narrow.rows[0], narrow.rows[59]]).toEqual([
      [9, 0],
      [50, 3],
    ]);
  });

  test('may have a label that is a number, with a public range, where a study learns numbers', async () => {
    const file = join(folder, 'numbers.csv');
    await writeFile(file, [HEADER, ...lines(60, (i) => `${i / 8}`)].join('\n'));
    const range = ['width=0:100', 'height=0:7'];
    const given = { data: file, label: 'kind', learnsNumbers: true };
    const { labelRange, ranges } = await readOwnData({ ...given, range: [...range, 'kind=0:10'] });
    expect([labelRange, ranges]).toEqual([
      [0, 10],
      [
        [0, 100],
        [0, 7],
      ],
    ]);
    await expect(readOwnData({ ...given, range })).rejects.toThrow(/none for "kind"/);
    await expect(readOwnData({ ...given, learnsNumbers: false, range })).rejects.toThrow(/has 1 of one/);
  });

  test('are read as programs write them, or refused with what a study can read', async () => {
    const file = join(folder, 'odd.csv');
    const content = [HEADER, ...lines(60, (i) => (i % 2 === 0 ? 'even' : 'odd'))];
    const given = { data: file, label: 'kind', range: ['width=0:100', 'height=0:7'] };
    await writeFile(file, content.join('\n'));
    const plain = await readOwnData(given);
    const quoted = content.map((line) => line.replace(/[^,]+/g, '"$&"'));
    for (const bytes of [
      `\uFEFF${content.join('\r\n')}\r\n`,
      quoted.join('\n'),
      gzipSync(content.join('\n')),
    ]) {
      await writeFile(file, bytes);
      expect(await readOwnData(given)).toEqual(plain);
    }
    await writeFile(file, Buffer.from(content.join('\n').replaceAll('odd', 'é'), 'latin1'));
    await expect(readOwnData(given)).rejects.toThrow(/odd\.csv: save it as UTF-8$/);
    await writeFile(file, content.join('\n'));
    const ranges = join(folder, 'ranges.json');
    await writeFile(ranges, '\uFEFF{"width": [0, 100], "height": [0, 7]}');
    expect(await readOwnData({ data: file, label: 'kind', ranges })).toEqual(plain);
  });

  const two = (i: number) => (i % 2 === 0 ? 'even' : 'odd');
  test.each([
    ['without the label', ['width,height,sort', ...lines(60, two)], RANGES, 'has no \\"kind\\"'],
    [
      'without the private label',
      [HEADER, ...lines(60, two)],
      [...RANGES, '--private-label', 'who'],
      '\\"--private-label\\" expected a column of the file, has no \\"who\\"',
    ],
    ['of one class', [HEADER, ...lines(60, () => 'all')], RANGES, 'at least 2 classes, has 1'],
    ['with few rows', [HEADER, ...lines(9, two)], RANGES, 'at least 40 rows, has 9'],
    [
      'with few rows of a class',
      [HEADER, ...lines(60, (i) => (i < 3 ? 'rare' : 'usual'))],
      RANGES,
      'has 3 of one',
    ],
    [
      'with words',
      [HEADER, ...lines(59, two), 'wide,3,odd'],
      RANGES,
      'line 61: \\"width\\" expected a number',
    ],
    [
      'without a header',
      ['4711.25,3,odd', ...lines(60, two)].map((line) => line.replace('odd', 'kind')),
      [],
      'seems to have no header',
    ],
    ['without a range', [HEADER, ...lines(60, two)], ['--range', 'width=0:100'], 'none for \\"height\\"'],
    [
      'with a range upside down',
      [HEADER, ...lines(60, two)],
      ['--range', 'width=9:1', 'height=0:7'],
      'below its largest',
    ],
    ['separated by semicolons', ['width;height;kind', '1;2;odd'], RANGES, 'separated by commas'],
    [
      'with a row that is too short',
      [HEADER, '', ...lines(59, two), '5,odd'],
      RANGES,
      'line 62: expected as many cells as the header has, 3, has 2',
    ],
    [
      'with a missing class',
      [HEADER, ...lines(50, two), ...lines(9, () => ''), '5,3,odd'],
      RANGES,
      'line 52: expected a class',
    ],
    ['with two columns of one name', ['width,width,kind', ...lines(60, two)], RANGES, 'a name of its own'],
    [
      'with ranges that are not there',
      [HEADER, ...lines(60, two)],
      ['--ranges', '/nowhere/ranges.json'],
      'cannot read /nowhere/ranges.json: ENOENT',
    ],
    ['with no range at all', [HEADER, ...lines(60, two)], ['--range', 'width'], 'COLUMN=LEAST:LARGEST'],
  ])('%s are refused with what the study needs', async (_, content, ranges, why) => {
    const { code, errors } = await own(content, ...ranges, '--json');
    expect(code).toBe(2);
    expect(errors).toContain(why);
    expect(errors).not.toMatch(/wide,3|4711/);
  });
});
