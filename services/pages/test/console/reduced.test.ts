/** Reduced rows are read in little memory, and raw ones are refused. */
import { CodedError } from '@eigenveil/platform';
import { describe, expect, it } from 'vitest';
import { inSlices } from '../../src/common/files.ts';
import { groupsOf, MOST_POINTS, readReduced } from '../../src/common/reduced.ts';

const AGREED = { features: ['age', 'pulse', 'weight'], components: 2 };

async function* bytesOf(text: string, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
const read = (text: string, size?: number) => readReduced(bytesOf(text, size), AGREED);

describe('reduced rows', () => {
  it('are read with the columns that were kept beside them', async () => {
    const rows = await read('id,who,component_2,component_1\n1,a,2.5,-1\n2,"b, c",0,3e-1\n3,a,1,0\n', 5);
    expect(rows).toMatchObject({ rows: 3, points: 3, stride: 1 });
    expect([...rows.components.get(0)!]).toEqual([-1, Math.fround(0.3), 0]);
    expect([...rows.components.get(1)!]).toEqual([2.5, 0, 1]);
    const [, who] = rows.labelColumns;
    expect(who).toMatchObject({ name: 'who', labels: ['a', 'b, c'] });
    expect([...who!.indices]).toEqual([0, 1, 0]);
  });

  it('are thinned out evenly where there are more than can be drawn, and a column of many texts is no label', {
    tags: ['long'],
  }, async () => {
    const count = 2 * MOST_POINTS + 10;
    const lines = Array.from({ length: count }, (_, i) => `${i},${i % 2},${i},1`);
    const rows = await read(`id,odd,component_1,component_2\n${lines.join('\n')}\n`);
    expect(rows).toMatchObject({ rows: count, stride: 4, points: Math.ceil(count / 4) });
    const xs = rows.components.get(0)!;
    expect(xs).toHaveLength(rows.points);
    expect(xs.every((x, i) => x === 4 * i)).toBe(true);
    expect(rows.labelColumns.map(({ name }) => name)).toEqual(['odd']);
    expect([...new Set(rows.labelColumns[0]!.indices)]).toEqual([0]);
  });

  it.each([
    ['raw rows', 'age,pulse,weight\n1,2,3\n', 'ERR_ROWS_RAW', /3 columns of the task's features/],
    [
      'raw cells beside reduced ones',
      'component_1,component_2,pulse\n1,2,3\n',
      'ERR_ROWS_RAW',
      /a column of the task's/,
    ],
    ['other columns', 'x,y\n1,2\n', 'ERR_ROWS_UNDRAWABLE', /no column component_1 … component_2/],
    [
      'another number of cells',
      'component_1,component_2\n1,2\n3\n',
      'ERR_ROWS_UNDRAWABLE',
      /^Line 3 has 1 cells instead of 2/,
    ],
    [
      'a cell that is no number',
      'component_1,component_2\n1,secret\n',
      'ERR_ROWS_UNDRAWABLE',
      /^Line 2 has no number in .* component_2/,
    ],
    [
      'a number that no drawing holds',
      'component_1,component_2\n1,1e300\n',
      'ERR_ROWS_UNDRAWABLE',
      /^Line 2 has no number/,
    ],
    ['no rows', 'component_1,component_2\n', 'ERR_ROWS_UNDRAWABLE', /no rows/],
    ['an empty file', '', 'ERR_ROWS_UNDRAWABLE', /no rows/],
    ['a name twice', 'component_1,a,a\n1,2,3\n', 'ERR_ROWS_UNDRAWABLE', /two columns of one name/],
  ])('are refused for %s, of which nothing is repeated', async (_, text, code, message) => {
    const error = await read(text).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CodedError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((error as Error).message).not.toContain('secret');
  });
});

describe('groups', () => {
  it('are the largest first, with the means of their points', () => {
    const [xs, ys] = [Float32Array.of(1, 2, 3), Float32Array.of(4, 6, 8)];
    const column = { name: 'l', labels: ['few', 'many'], indices: Uint8Array.of(1, 0, 1) };
    const { groups, of } = groupsOf(xs, ys, column);
    expect(groups).toEqual([
      { name: 'many', points: 2, mean: [2, 6] },
      { name: 'few', points: 1, mean: [2, 6] },
    ]);
    expect([...of]).toEqual([0, 1, 0]);
    expect(groupsOf(xs, ys, null).groups).toEqual([{ name: 'all rows', points: 3, mean: [2, 6] }]);
  });

  it('beyond the eighth are one', () => {
    const labels = Array.from({ length: 10 }, (_, k) => `l${k}`);
    const indices = Uint8Array.from(labels.flatMap((_, k) => new Array<number>(10 - k).fill(k)));
    const points = Float32Array.from(indices);
    const { groups, of } = groupsOf(points, points, { name: 'l', labels, indices });
    expect(groups.map(({ name }) => name)).toEqual(['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', '3 others']);
    expect(groups.at(-1)!.points).toBe(3 + 2 + 1);
    expect(of.at(-1)).toBe(7);
  });
});

it('slices are small, whole and in order, and end once nobody waits for them', async () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);
  const gone = new AbortController();
  const slices: Uint8Array[] = [];
  async function* source() {
    yield bytes;
    yield bytes.subarray(0, 10);
  }
  for await (const slice of inSlices(source(), gone.signal)) slices.push(slice);
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThanOrEqual(1 << 15);
  expect(Buffer.concat(slices).equals(Buffer.concat([bytes, bytes.subarray(0, 10)]))).toBe(true);
  gone.abort(new Error('gone'));
  await expect(inSlices(source(), gone.signal).next()).rejects.toThrow('gone');
});
