/** Several products in one round trip: the same shares as one after the other would add up to, wherever blocks of transfers end. */
import { describe, expect, it } from 'vitest';
import { multiplyEachChosen, multiplyEachCorrelated } from '../../src/products/index.ts';
import { transpose } from '../../src/rotated/matrices.ts';
import { multiplyClear } from '../support/dealers.ts';
import { type Case, type Matrix, type Options, opened, randomCase, session } from './parties.ts';

async function together(cases: readonly Case[], options?: Options) {
  const { sender, receiver, sentByChooser } = await session(options);
  const [chosen, correlated] = await Promise.all([
    multiplyEachChosen(
      receiver,
      cases.map(({ a, c, ...sizes }) => ({ ...sizes, matrix: a, columns: c[0]!.length })),
    ),
    multiplyEachCorrelated(
      sender,
      cases.map(({ a, c, ...sizes }) => ({ ...sizes, matrix: c, rows: a.length })),
    ),
  ]);
  return {
    sums: cases.map(({ ringBits }, p) => opened(chosen[p]!, correlated[p]!, ringBits)),
    sentByChooser,
  };
}

const clear = ({ a, c, ...sizes }: Case) => multiplyClear(a, c, sizes);

describe('products together', () => {
  const isEachOfThem = async (cases: readonly Case[]) => {
    const { sums } = await together(cases);
    expect(sums).toEqual(cases.map(clear));
  };
  it.each([
    ['one', [randomCase([2, 3, 4], 20, 64)]],
    [
      'of different shapes, lengths and rings',
      [
        randomCase([3, 1, 3], 83, 228),
        randomCase([9, 1, 1], 97, 228),
        randomCase([4, 4, 4], 5, 166, 'upper'),
        randomCase([1, 7, 2], 1, 8),
      ],
    ],
  ] as const)('%s', (_, cases) => isEachOfThem(cases));
  // 65,536 transfers fill a block.
  it('that share blocks of transfers', { tags: ['long'] }, () =>
    isEachOfThem([
      randomCase([500, 1, 2], 97, 128),
      randomCase([400, 1, 1], 83, 99),
      randomCase([13, 13, 3], 40, 100),
    ]),
  );

  it('may be of matrices that follow from shares of products before', async () => {
    const { sender, receiver, sentByChooser } = await session();
    const { a, c, ...sizes } = randomCase([4, 4, 4], 20, 64);
    const own = { ...sizes, matrix: a, columns: 4 };
    const next: Matrix[] = [];
    const [chosen, correlated] = await Promise.all([
      multiplyEachChosen(receiver, [own, { ...own, part: 'upper' }]),
      multiplyEachCorrelated(sender, [
        { ...sizes, matrix: c, rows: 4 },
        {
          ...sizes,
          rows: 4,
          part: 'upper',
          matrix: {
            inner: 4,
            columns: 4,
            from: ([first]) => {
              next.push(transpose(first!));
              return next[0]!;
            },
          },
        },
      ]),
    ]);
    expect(next).toEqual([transpose(correlated[0]!)]);
    expect(opened(chosen[0]!, correlated[0]!, 64)).toEqual(multiplyClear(a, c, sizes));
    const upper = multiplyClear(a, next[0]!, { ...sizes, part: 'upper' });
    expect(opened(chosen[1]!, correlated[1]!, 64)).toEqual(upper);
    expect(sentByChooser).toHaveLength(2);
  });

  it('may be of choices that follow from shares of products before, with one check', async () => {
    const { sender, receiver, sentByChooser } = await session();
    const first = randomCase([3, 4, 2], 20, 64);
    const later = randomCase([2, 3, 5], 65, 90);
    const last = randomCase([2, 2, 2], 9, 40);
    let derived: Matrix = [];
    const [chosen, correlated] = await Promise.all([
      multiplyEachChosen(receiver, [
        { matrix: first.a, columns: 2, entryBits: 20, ringBits: 64 },
        {
          matrix: {
            rows: 2,
            inner: 3,
            from: ([shares]) => {
              derived = transpose(shares!);
              return derived;
            },
          },
          columns: 5,
          entryBits: 65,
          ringBits: 90,
        },
        { matrix: last.a, columns: 2, entryBits: 9, ringBits: 40 },
      ]),
      multiplyEachCorrelated(sender, [
        { matrix: first.c, rows: 3, entryBits: 20, ringBits: 64 },
        { matrix: later.c, rows: 2, entryBits: 65, ringBits: 90, waits: true },
        { matrix: last.c, rows: 2, entryBits: 9, ringBits: 40 },
      ]),
    ]);
    expect(derived).toEqual(transpose(chosen[0]!));
    expect(opened(chosen[0]!, correlated[0]!, 64)).toEqual(clear(first));
    expect(opened(chosen[1]!, correlated[1]!, 90)).toEqual(clear({ ...later, a: derived }));
    expect(opened(chosen[2]!, correlated[2]!, 40)).toEqual(clear(last));
    // Two messages of choices, one challenge.
    expect(sentByChooser).toHaveLength(3);
  });

  it('of derived choices that are too long are refused by their owner', async () => {
    const { sender, receiver } = await session({ limits: { silenceMilliseconds: 20_000 } });
    const { a, c } = randomCase([2, 2, 2], 20, 64);
    const [chosen] = await Promise.allSettled([
      multiplyEachChosen(receiver, [
        { matrix: a, columns: 2, entryBits: 20, ringBits: 64 },
        {
          matrix: {
            rows: 2,
            inner: 2,
            from: () => [
              [0n, 0n],
              [0n, 8n],
            ],
          },
          columns: 2,
          entryBits: 4,
          ringBits: 64,
        },
      ]).finally(() => receiver.stream.channel.abort('ERR_COMPUTATION')),
      multiplyEachCorrelated(sender, [
        { matrix: c, rows: 2, entryBits: 20, ringBits: 64 },
        { matrix: c, rows: 2, entryBits: 4, ringBits: 64, waits: true },
      ]),
    ]);
    expect(chosen).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
  });

  it('of a column longer than a matrix may be wide', async () => {
    const long = randomCase([300, 1, 1], 3, 64);
    const { sums } = await together([long]);
    expect(sums[0]).toEqual(clear(long));
  });

  it('take one message of choices before the first answer', async () => {
    const cases = [randomCase([3, 3, 3], 20, 64), randomCase([6, 1, 1], 20, 64)];
    const { sentByChooser } = await together(cases);
    // And the challenge.
    expect(sentByChooser).toHaveLength(2);
  });

  it.each([0, 1, 2])('notice a changed byte, at place %i of what the correlator sends', async (third) => {
    // With every digit 3, so that no correlation goes unused.
    const cases = [randomCase([3, 3, 3], 20, 64), randomCase([6, 1, 1], 20, 64)].map((product) => ({
      ...product,
      a: product.a.map((row) => row.map(() => 2n ** 19n - 1n)),
    }));
    const fromCorrelator = (frame: Uint8Array, index: number) => {
      if (index === 0) frame[Math.floor(((2 * third + 1) * frame.length) / 6)]! ^= 4;
      return frame;
    };
    await expect(
      together(cases, { fromCorrelator, limits: { silenceMilliseconds: 20_000 } }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_(PRODUCT_CHECK|CHANNEL_MESSAGE)$/) });
  });
});
