/** Files as other programs write them are read as they were meant, by the form that is proposed from their first records. */
import { isOf } from '@eigenveil/platform';
import { describe, expect, test } from 'vitest';
import {
  firstRecords,
  matchColumns,
  proposeForm,
  readRows,
  STATISTICS_CODES,
  startOf,
} from '../../src/owner.ts';

const task = {
  features: ['age', 'dose'].map((name) => ({ name, min: -1e9, max: 1e9 })),
  labellings: [{ column: 'label', classes: ['1', 'grün'] }],
};
const bytesOf = (text: string | Uint8Array) =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
async function* source(text: string | Uint8Array) {
  yield bytesOf(text);
}

/** The rows of a file by the form that is proposed for it, and the form without what every file has. */
async function readAsProposed(text: string | Uint8Array) {
  const start = await startOf(source(text));
  const { separator, ...form } = proposeForm(start, task);
  const rows: (number | string)[][] = [];
  const ignoredColumns = 'others' as const;
  for await (const { values, classes } of readRows(source(text), task, {
    separator,
    ...form,
    ignoredColumns,
  }))
    rows.push([...values, ...classes]);
  return { separator, form, rows };
}

describe('the form that is proposed for a file', () => {
  const usual = 'age,dose,label\n61,1234,1\n52,70.5,grün\n';
  test.each<[string, string | Uint8Array, string, object]>([
    ['a usual file', usual, 'comma', {}],
    [
      'semicolons and decimal commas',
      'age;dose;label\n61;1234;1\n52;70,5;grün\n',
      'semicolon',
      { decimal: 'comma' },
    ],
    ['tabs', usual.replaceAll(',', '\t'), 'tab', {}],
    ['a line that names the separator', `sep=;\n${usual.replaceAll(',', ';')}`, 'semicolon', {}],
    ['thousands', 'age,dose,label\n61,"1,234",1\n52,70.5,grün\n', 'comma', { thousands: 'comma' }],
    ['German thousands', 'age;dose;label\n61;1.234;1\n52;70,5;grün\n', 'semicolon', { thousands: 'point' }],
    ['another encoding', latin(usual), 'comma', { encoding: 'windows-1252' }],
    [
      'UTF-16',
      Uint8Array.of(0xff, 0xfe, ...new Uint8Array(Uint16Array.from(latin(usual)).buffer)),
      'comma',
      {},
    ],
    ['blanks', 'age, dose, label\n61, 1234, 1\n52, 70.5, grün\n', 'comma', { trim: true }],
    ['lines above the header', `exported by\na program\n${usual}`, 'comma', { skipLines: 2 }],
    ['units', 'age,dose,label\nyears,mg,\n61,1234,1\n52,70.5,grün\n', 'comma', { skipRows: 1 }],
    ['classes as other numbers', usual.replace('1234,1', '1234,1.0'), 'comma', { numericLabels: true }],
    [
      'a backslash',
      usual.replace('grün', 'grün,"a \\"b\\", c"').replace('label\n', 'label,x\n').replace(',1\n', ',1,\n'),
      'comma',
      { escape: 'backslash' },
    ],
  ])('reads %s', async (_, text, separator, form) => {
    await expect(readAsProposed(text)).resolves.toEqual({
      separator,
      form,
      rows: [
        [61, 1234, 0],
        [52, 70.5, 1],
      ],
    });
  });

  test('leaves out rows with a missing cell, by the marks that are in the file', async () => {
    const text = 'age,dose,label\n61,1234,1\n52,70.5,grün\nNA,1,1\n1,#N/A,1\n1,2,\n';
    const { form, rows } = await readAsProposed(text);
    expect(form).toEqual({ missing: 'skip', missingValues: ['#N/A'] });
    expect(rows).toHaveLength(2);
    const histogram = proposeForm(await startOf(source(text)), task, { countsUnreadable: true });
    expect(histogram).toEqual({ separator: 'comma' });
  });

  test.each([
    ['a comma that may be either', 'age;dose;label\n61;1,234;1\n'],
    ['an odd cell, which stays an error', 'age;dose;label\n61;dozens;1\n52;70.5;1\n'],
    ['other columns', 'x;y;z\n1,5;2;3\n'],
  ])('says nothing of %s', async (_, text) => {
    expect(proposeForm(await startOf(source(text)), task)).toEqual({ separator: 'semicolon' });
  });

  test('finds nearly the same names, and reads their numbers', async () => {
    const start = await startOf(source('Age;DOSE;label;dose_unit\n1,5;2;1;mg\n'));
    const { cells } = firstRecords(start, { separator: 'semicolon' })[0]!;
    expect(matchColumns(cells, ['age', 'dose', 'label', 'weight'])).toEqual([
      { name: 'age', near: 0 },
      { name: 'dose', near: 1 },
      { name: 'label', place: 2 },
      { name: 'weight' },
    ]);
    expect(matchColumns(cells, ['age'], ['Age=age'])).toEqual([{ name: 'age', place: 0 }]);
    expect(proposeForm(start, task)).toEqual({ separator: 'semicolon', decimal: 'comma' });
  });

  test('reads the beginning alone, and refuses a picture', async () => {
    const start = await startOf(
      (async function* () {
        for (let i = 0; ; i += 1) {
          if (i > 100) throw new Error('read too far');
          yield bytesOf('age,dose,label\n'.padEnd(60_000, '1,2,1\n'));
        }
      })(),
    );
    expect([start.bytes.length, start.isWhole]).toEqual([1 << 20, false]);
    expect(firstRecords(start, {})).toHaveLength(200);
    const png = await startOf(
      source(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82)),
    );
    const refusal = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return isOf(STATISTICS_CODES, error) ? `${error.code} ${error.message}` : error;
      }
      return undefined;
    };
    expect(refusal(() => proposeForm(png, task))).toMatch(/^ERR_FILE_UNREADABLE .*a picture \(PNG\)/);
    expect(firstRecords(await startOf(source('')), {})).toEqual([]);
  });
});
