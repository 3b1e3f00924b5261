/** What a sketch that refines an earlier result must be, and how wide its values become. */
import { LEAST_FRESH_COLUMNS, sketchColumnBound, sketchScaleBits } from '@eigenveil/methods';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkBasis,
  checkTask,
  namedResult,
  statisticsBounds,
  TaskProposal as Task,
  widthsOf,
} from '../src/index.ts';

const DIGEST = 'd'.repeat(43);

/** A sketch of 30 features with 16 columns. */
const sketched = (changes: Record<string, unknown> = {}): Task =>
  Task.parse({
    method: { kind: 'pca' },
    features: Array.from({ length: 30 }, (_, i) => ({
      name: `pixel_${i}`,
      min: 0,
      max: 255,
      twoValued: false,
    })),
    sketch: { columns: 16 },
    exact: true,
    allowFullRank: true,
    components: 4,
    outputs: ['mean', 'sampleCount'],
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    minimumOwners: 3,
    twoParty: 'simulated',
    deadline: '2030-01-01T00:00:00.000Z',
    ...changes,
  });
const refining = (changes: Record<string, unknown> = {}, columns = 16): Task =>
  sketched({ sketch: { columns, refine: DIGEST }, ...changes });

const refusalOf = (task: Task, earlier: readonly Task[]): string | undefined => {
  try {
    checkBasis(task, earlier);
    return undefined;
  } catch (error) {
    return `${(error as { code?: string }).code} ${(error as Error).message}`;
  }
};

describe('a refinement', () => {
  const first = sketched();

  test('is one of a sketch or of an exact result of the same features, and may be refined in turn', () => {
    checkTask(refining());
    expect(refusalOf(refining(), [first])).toBeUndefined();
    expect(refusalOf(refining(), [refining()])).toBeUndefined();
    expect(refusalOf(refining(), [sketched({ sketch: undefined, outputs: [] })])).toBeUndefined();
    // What says less of values says nothing else of them.
    const features = first.features.map(({ twoValued: _, ...feature }) => feature);
    expect(refusalOf(refining(), [sketched({ features })])).toBeUndefined();
  });

  test.each<[string, Task, readonly Task[], RegExp]>([
    ['no result', refining(), [], /of one pca/],
    ['two results', refining(), [first, first], /of one pca/],
    ['another method', refining(), [sketched({ method: { kind: 'lda', ridge: 1 } })], /of one pca/],
    [
      'a correlation matrix',
      refining(),
      [sketched({ method: { kind: 'pca', scale: 'correlation' } })],
      /of one pca/,
    ],
    ['a result that stands on a basis', refining(), [sketched({ basis: DIGEST })], /stands on no basis/],
    ['one feature more', refining({ features: [...first.features, wide('more')] }), [first], /same features/],
    ['another range', refining({ features: first.features.with(3, wide('pixel_3')) }), [first], /ranges/],
    ['another name', refining({ features: renamed(first, 3) }), [first], /names/],
    ['another order', refining({ features: first.features.toReversed() }), [first], /order/],
    ['a result that is kept back', refining(), [sketched({ releaseToOwners: false })], /released to owners/],
    [
      'nine columns of signs',
      refining({}, 13),
      [first],
      /"sketch.columns" expected at least 14, the 4 vectors .* 10 columns of signs, got 13/,
    ],
  ])('is not one with %s', (_, task, earlier, message) => {
    expect(refusalOf(task, earlier)).toMatch(message);
    expect(refusalOf(task, earlier)).toMatch(/^ERR_TASK_INVALID/);
  });

  test(`has at least ${LEAST_FRESH_COLUMNS} columns of signs`, () => {
    expect(LEAST_FRESH_COLUMNS).toBe(10);
    expect(refusalOf(refining({}, 14), [first])).toBeUndefined();
  });

  test('names one earlier result only', () => {
    expect(namedResult(refining())).toBe(DIGEST);
    expect(namedResult(sketched({ basis: DIGEST }))).toBe(DIGEST);
    expect(namedResult(first)).toBeUndefined();
    expect(() => checkTask(refining({ basis: DIGEST }))).toThrow('"sketch.refine" expected without "basis"');
    for (const refine of ['', 'x', `${DIGEST}=`])
      expect(() => refiningBy(refine)).toThrow('as a draft that refines that result has it');
  });
});

describe('the values of a refinement', () => {
  test('have room for columns of length √d · 2^8, rounded', () => {
    const [plain, wider] = [statisticsBounds(sketched()), statisticsBounds(refining())];
    expect([sketchScaleBits(sketched()), sketchScaleBits(refining())]).toEqual([0, 8]);
    expect([sketchColumnBound(sketched()), sketchColumnBound(refining())]).toEqual([30, 30 * 257]);
    expect(wider).toEqual({ ...plain, Y: plain.Y * 257n });
    expect(widthsOf(refining()).Y).toBe(wider.Y.toString(2).length + 1);
  });

  test('are refused where doubles would not hold them, for any number of features', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 10_000 }),
        fc.integer({ min: 1, max: 20 }),
        (d, fractionBits) => {
          const features = Array.from({ length: d }, (_, i) => ({ name: `${i}`, min: 0, max: 1 }));
          const made = () => widthsOf({ ...refining(), features, fractionBits });
          // As powers of two: a product of a cell and a sum of d cells times their entries of Ω.
          const bits = 2 * fractionBits + Math.ceil(Math.log2(257 * d));
          if (bits <= 50) expect(made).not.toThrow();
          else expect(made).toThrow(/"fractionBits" expected at most \d+ for .* refines an earlier result/);
        },
      ),
      { numRuns: 40 },
    );
    // Drafts have 14: enough for as many features as there may be.
    const most = Array.from({ length: 10_000 }, (_, i) => ({ name: `${i}`, min: 0, max: 1 }));
    expect(widthsOf({ ...refining(), features: most, fractionBits: 14 }).Y).toBeGreaterThan(50);
  });
});

function wide(name: string) {
  return { name, min: 0, max: 256, twoValued: false };
}
function renamed({ features }: Task, i: number) {
  return features.with(i, { ...features[i]!, name: 'other' });
}
function refiningBy(refine: string) {
  return sketched({ sketch: { columns: 16, refine } });
}
