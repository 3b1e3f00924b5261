import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ZodError } from 'zod';
import { type DraftOptions, draftOf, roomFor } from '../../../src/advice/draft/draft.ts';
import { sampleOf } from '../../../src/advice/draft/sample.ts';
import { draftTask } from '../../../src/index.ts';

type Options = Partial<Parameters<typeof draftTask>[1]>;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-draft-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function draft(csv: string, options: Options = {}) {
  const file = join(folder, 'data.csv');
  await writeFile(file, csv);
  return draftTask(file, { method: 'pca', labels: [], ignore: [], ...options });
}

const LABELS: Options = { method: 'lda', labels: ['l'] };

describe('a draft', () => {
  test('takes ranges and classes from the file', async () => {
    const csv = 'id,a,label,b\n7,1,10,-2\n8,-3.5,9,1e3\n9,0,10,0\n';
    expect(await draft(csv, { method: 'dca', labels: ['label'], ignore: ['id'] })).toEqual({
      method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
      features: [
        { name: 'a', min: -3.5, max: 1, twoValued: false, grain: 0.1 },
        { name: 'b', min: -2, max: 1000, twoValued: false, grain: 1 },
      ],
      labellings: [{ column: 'label', classes: ['9', '10'] }],
      rows: 3,
    });
  });

  test('has the parameters that follow from the flags of its method, and takes no others', async () => {
    const csv = 'a,kind\n1,0\n2,1\n';
    expect((await draft(csv)).method).toEqual({ kind: 'pca' });
    expect((await draft(csv, { method: 'correlation' })).method).toEqual({
      kind: 'pca',
      scale: 'correlation',
    });
    const labelled: Options = { method: 'dca', labels: ['kind'] };
    const { method } = await draft(csv, { ...labelled, flags: { form: 'book', signalRidge: -0.5 } });
    expect(method).toEqual({ kind: 'dca', form: 'book', ridge: 1, signalRidge: -0.5 });
    for (const flags of [{ scale: 'correlation' }, { form: 'other' }])
      await expect(draft(csv, { ...labelled, flags })).rejects.toThrow(ZodError);
    await expect(draft(csv, { method: 'ridge' })).rejects.toThrow(/target/);
  });

  test('of counts has no grains and no columns left out, and takes its epsilon', async () => {
    const rows = Array.from({ length: 90 }, (_, i) => [i % 7, i % 7].join(','));
    const csv = ['a,b', ...rows].join('\n');
    const counts: Options = { method: 'histogram', flags: { height: 4, logarithmic: 0.5 }, keep: [] };
    const wanted = { ...counts, range: [-9, 9] as const, epsilon: 1 };
    const { features, method } = await draft(csv, wanted);
    expect(features).toEqual(['a', 'b'].map((name) => ({ name, min: -9, max: 9, logarithmic: 0.5 })));
    expect(method).toMatchObject({ kind: 'histogram', height: 4 });
    await expect(draft(csv, counts)).rejects.toThrow(/"epsilon" expected: histogram is released with noise/);
  });

  test('says which features take two values', async () => {
    const rows = [
      [3, 1, 5, 2],
      [0, 1, 5, 1],
      [3, 2, 5, 3],
      [0, 1, 5, 1],
    ];
    const { features } = await draft(['a,b,c,d', ...rows.map((row) => row.join(','))].join('\n'), {});
    expect(features.map(({ twoValued }) => twoValued)).toEqual([true, true, true, false]);
  });

  test.each([
    ['a column that is not there', 'a,b\n1,2\n', { ignore: ['c'] }, /no column "c"/],
    ['text', 'a,b\n1,x\n', {}, /^column "b" \(number 2\) of row 1/],
    [
      'a cell of blanks',
      'a,b\n1,2\n ,3\n',
      {},
      /^column "a" \(number 1\) of row 2 .* a cell of blanks alone/,
    ],
    [
      'a missing value',
      'a,b\n1,2\nNA,3\n',
      {},
      /^column "a" \(number 1\) of row 2 is a missing value: --missing skip/,
    ],
    [
      'a missing label',
      'a,l\n1,x\n2,y\n3,NA\n',
      LABELS,
      /^column "l" \(number 2\) of row 3 is a missing label: --missing skip/,
    ],
    [
      'a label without text',
      'a,l\n1,x\n2,y\n3,\n',
      LABELS,
      /^column "l" \(number 2\) of row 3 is a missing label: --missing skip/,
    ],
    [
      'blanks around a label',
      'a,l\n1,x\n2,y\n3,x \n',
      LABELS,
      /^column "l" \(number 2\) of row 3 is a label with blanks/,
    ],
    ['no rows', 'a,b\n', {}, /no rows/],
    ['no header', '5.1,3.5,secret\n4.9,3.0,secret\n', {}, /^the file needs a header row first/],
    ['two columns of a name', 'a,b,a\n1,2,3\n', {}, /^the header row needs names that differ/],
    [
      'other separators',
      'a;b;label\n1,5;2;secret\n',
      {},
      /is separated otherwise: give --separator semicolon/,
    ],
    ['a label', 'a,b\n1,x\n', {}, /name the column with --label; otherwise leave it out with --ignore/],
    [
      'a blank before a number',
      'a,b\n1, 2\n',
      {},
      /^column "b" \(number 2\) of row 1 is no number, but one with blanks around it, which --trim/,
    ],
    ['one label alone', 'a,l\n1,x\n2,x\n', LABELS, /"l" has one label alone in the file: two are needed/],
    [
      'an id for a label',
      `a,l\n${Array.from({ length: 101 }, (_, i) => `1,${i}\n`).join('')}`,
      LABELS,
      /"l" has more than the 100 different labels that a task takes/,
    ],
    ['no header and no number either', 'secret,"3,5"\nsecret,"3,0"\n', {}, /^column 1 of row 1/],
  ])('is refused for %s', async (_name, csv, options, message) => {
    await expect(draft(csv, options)).rejects.toMatchObject({
      code: 'ERR_TASK_INVALID',
      message: expect.stringMatching(message),
    });
    await expect(draft(csv, options)).rejects.toThrow(/^(?!.*(secret|3,5))/);
  });

  test.each(['label', 'Class', 'true_label', 'ClassLabel', 'species', 'y', 'outcome 2'])(
    'is refused for whole numbers in a column named %s, unless it is said what they are',
    async (name) => {
      const csv = `a,${name}\n1,0\n2,1\n3,2\n`;
      await expect(draft(csv)).rejects.toThrow(
        `column "${name}" looks like a label (by its name, and by 3 different whole numbers)`,
      );
      await expect(draft(csv, { ignore: [name] })).resolves.toMatchObject({ rows: 3 });
      await expect(draft(csv, { method: 'lda', labels: [name] })).resolves.toMatchObject({ rows: 3 });
    },
  );

  test('takes a column for a feature whose name only begins like a label, that has fractions, or more than twenty values', async () => {
    const lines = Array.from({ length: 21 }, (_, i) => `${i % 2},${i / 2},${i},${i % 3}`);
    const { features } = await draft(`class_size,label,class,day\n${lines.join('\n')}\n`);
    expect(features.map(({ name }) => name)).toEqual(['class_size', 'label', 'class', 'day']);
  });

  test.each([
    [1, 1000],
    [100, 1000],
    [101, 2000],
    [351, 4000],
    [1000, 10_000],
    [1_000_000_000, 1_000_000_000],
  ])('has room for more than the rows of a sample: %i for %i', (rows, room) => {
    expect(roomFor(rows)).toBe(room);
  });

  test.each(['\n', '\r\n', '\r'])('reads lines that end in %j', async (end) => {
    expect(await draft(['a,b', '1,2', '3,4', ''].join(end))).toMatchObject({
      features: [
        { name: 'a', min: 1, max: 3 },
        { name: 'b', min: 2, max: 4 },
      ],
    });
  });

  test.each([
    ['rows of another width', 'a,b\n1,2\nsecret\n', 'ERR_CSV_ROW'],
    ['a quote inside a cell', 'a,b\n1,se"cret"\n', 'ERR_TASK_INVALID'],
    ['a quote that never ends', `a,b\n1,"secret${'x'.repeat(2_000_000)}`, 'ERR_CSV_SYNTAX'],
  ])('is refused for %s, which it does not repeat', async (_name, csv, code) => {
    await expect(draft(csv)).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('secret'),
    });
  });

  test('is refused for a file that is not there', async () => {
    const options: Parameters<typeof draftTask>[1] = { method: 'pca', labels: [], ignore: [] };
    await expect(draftTask(join(folder, 'none.csv'), options)).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
    });
  });
});

describe('a sample', () => {
  const remarksOf = async (csv: string, options: Options = {}) => {
    const remarks: string[] = [];
    await draft(csv, { ...options, onRemark: (remark) => remarks.push(remark) });
    return remarks;
  };
  const column = (cells: readonly unknown[]) =>
    `a,b\n${cells.map((cell, n) => `${cell},${n % 5}`).join('\n')}\n`;
  const usual = [3, 5, 8, 13, 21, 34, 55, 89, 90, 91];

  test.each([
    ['a number that stands for a missing one', [-999, ...usual], /^a single value alone makes the lower end/],
    ['the same as integers end', [...usual, 32767], /^a single value alone makes the upper end/],
    [
      'an outlier',
      [...usual, 1e6],
      /^a single value alone makes the upper end of the range of "a" \(number 1\)/,
    ],
    [
      'points before three digits',
      [1.234, 2.345, 3, 4],
      /^every cell of "a" \(number 1\) that has a point \(2\)/,
    ],
    ['-1 below numbers from 0', [-1, ...usual], /^a single value alone makes the lower end/],
    ['rows that are counted', [0, 1, 2, 3, 4, 5], /^"a" \(number 1\) counts rows/],
    ['a last row of sums', [1, 2, 3, 4, 10], /^the last row is the sum of those above/],
  ])('with %s is told', async (name, cells, message) => {
    const csv = column(cells);
    const given = name === 'a last row of sums' ? csv.replace(/4,3\n10,4/, '4,3\n10,6') : csv;
    expect(await remarksOf(given)).toContainEqual(expect.stringMatching(message));
    expect(await remarksOf(column(usual))).toEqual([]);
  });

  test('with a range from elsewhere is told of no end that a value makes, and of no spread where the range is wide', async () => {
    const range = [-1e6, 1e6] as const;
    expect(await remarksOf(column([...usual, 32767]), { range })).toContainEqual(
      expect.stringMatching(/^the values of "b" \(number 2\) fill less than a thousandth/),
    );
    expect(await remarksOf(column([...usual, 32767]), { range, method: 'histogram', epsilon: 1 })).toEqual(
      [],
    );
  });

  test.each([
    ['Report of May\na,b\n1,2\n', /^row 1: expected 1 cell, got 2; where names of rows/],
    ['a;b\n1;2\n', /^the header row is separated otherwise: give --separator semicolon/],
    ['a,b,a\n1,2,3\n', /^the header row needs names that differ, and columns 1 and 3 have one$/],
  ])('of %j is refused by what is wrong with it', async (csv, message) => {
    await expect(draft(csv)).rejects.toThrow(message);
  });

  test('of columns with types is refused by them, whatever is skipped', async () => {
    async function* records() {
      yield {
        cells: ['a', 'day', 'text'],
        problems: [{}, { feature: 'is a DATE', label: 'is no label' }, { feature: 'is a VARCHAR' }],
      };
      for (let n = 0; n < 3; n += 1) yield { cells: [`${n * n}`, undefined, 'x'] };
    }
    const of = async (options: Partial<DraftOptions>) => {
      const all = { method: 'pca', labels: [], ignore: [], missing: 'skip', ...options } as const;
      return draftOf(await sampleOf(records(), all), all);
    };
    await expect(of({ ignore: ['text'] })).rejects.toThrow(/^column "day" \(number 2\) is a DATE; if it is/);
    await expect(of({ ignore: ['day'] })).rejects.toThrow(
      /^column "text" \(number 3\) is a VARCHAR; if it is/,
    );
    await expect(of({ method: 'lda', labels: ['day'], ignore: ['text'] })).rejects.toThrow(
      /^column "day" \(number 2\) is no label: leave it out with --ignore/,
    );
    expect(await of({ ignore: ['day', 'text'] })).toMatchObject({
      rows: 3,
      features: [{ name: 'a', max: 4 }],
    });
  });

  test('is read by the options of all who read rows', async () => {
    const csv = 'Report\n;x;height;kind\n;years;kg;\n0;1.234;true;2,0\n1;5;-9;1\n2;2;false;2\n3;7;true;1\n';
    const options = {
      skipLines: 1,
      skipRows: 1,
      separator: 'semicolon',
      thousands: 'point',
      numericLabels: true,
      missing: 'skip',
      missingValues: ['height:-9'],
      columns: ['x=weight'],
      ignore: ['#1'],
      method: 'lda',
      labels: ['kind'],
    } as const;
    expect(await draft(csv, options)).toMatchObject({
      features: [
        { name: 'weight', min: 2, max: 1234 },
        { name: 'height', min: 0, max: 1 },
      ],
      labellings: [{ column: 'kind', classes: ['1', '2,0'] }],
      rows: 3,
    });
  });

  test('of which most cells lie outside the range that is given is refused', async () => {
    const range = [0, 50] as const;
    await expect(draft(column([60, 70, 80]), { range })).rejects.toMatchObject({ code: 'ERR_CLIPPED' });
    expect((await draft(column([60, 70, 80]), { range, allowClipping: ['a'] })).features[0]!.max).toBe(50);
  });
});
