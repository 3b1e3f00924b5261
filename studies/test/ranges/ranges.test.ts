/** The worth of private ranges: the trusted curator's quantiles, audits, ranges in one stage and two, captured variance, and the data that are kept. */
import { readFile } from 'node:fs/promises';
import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { BenchDataSchema } from '../../instrument/report.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { AUDITED_EPSILON } from '../../learners/audits.ts';
import { approximateQuantiles } from '../../ranges/approximate-quantiles.ts';
import { RELEASE_AUDITS } from '../../ranges/audits.ts';
import { uniform } from '../../ranges/draws.ts';
import { explained } from '../../ranges/explained.ts';
import { budgetsOf, privateRanges } from '../../ranges/private-ranges.ts';
import { decidedOf } from '../../ranges/statements.ts';
import { contradictions, RANGES_SUITES, rangesReportOf } from '../../ranges/suites.ts';
import {
  ARM_NAMES,
  KINDS,
  SCORES,
  SHARES,
  scaledBy,
  seriesOf,
  splitBudget,
  UTILITY_DELTA,
  wideGuess,
} from '../../ranges/utility.ts';

/** With fewer runs than these a twin that breaks its claim by little is not caught. */
const FEWEST: Readonly<Record<string, number>> = { 'Privelet, a row in place of another': 10_000 };

/** Seeds are fixed, so a right release fails never or always. */
for (const { title, tags, whole, of } of SAMPLES)
  describe(`attacks on a release, ${title}`, { tags }, () => {
    it.each(RELEASE_AUDITS)('$name keeps its claim', ({ name, honest, runs, dpDelta }) => {
      const proven = provenEpsilon({
        ...honest!(predictableRandomness(`audit ${name}`)),
        runs: of(runs),
        dpDelta,
      });
      expect(proven).toBeLessThanOrEqual(AUDITED_EPSILON);
      // An attack that proves next to nothing would catch no twin either.
      if (whole) expect(proven).toBeGreaterThan(0.3);
    });

    it.each(RELEASE_AUDITS)('$name: $twin, is caught', ({ name, broken, runs, dpDelta }) => {
      const proven = provenEpsilon({
        ...broken(predictableRandomness(`broken ${name}`)),
        runs: of(runs, FEWEST[name]),
        dpDelta,
      });
      expect(proven).toBeGreaterThan(AUDITED_EPSILON);
    });
  });

describe('a trusted curator', () => {
  const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];
  const even = new Array<number>(200).fill(1);

  it('finds exact quantiles without noise', () => {
    const next = uniform('exact');
    for (let run = 0; run < 20; run += 1) {
      const found = approximateQuantiles(next, even, quantiles, Infinity);
      found.forEach((edge, i) => {
        // Where a quantile is an edge, the bins on both sides have it.
        expect(Math.abs(edge - 200 * quantiles[i]!)).toBeLessThanOrEqual(2);
      });
    }
  });

  it('chooses an edge with the probabilities of the exponential mechanism', () => {
    const next = uniform('exponential');
    const runs = 30_000;
    const found = [0, 0, 0, 0];
    // The median, 2 rows, of 4 bins of a row each: losses 1, 0, 0 and 1.
    for (let run = 0; run < runs; run += 1) {
      found[approximateQuantiles(next, [1, 1, 1, 1], [0.5], 1)[0]! - 1]! += 1;
    }
    const weights = [Math.exp(-0.5), 1, 1, Math.exp(-0.5)];
    const total = weights.reduce((a, b) => a + b, 0);
    const square = found.reduce((sum, hits, i) => {
      const expected = (runs * weights[i]!) / total;
      return sum + (hits - expected) ** 2 / expected;
    }, 0);
    // Beyond 21.1 with probability 1e-4.
    expect(square).toBeLessThan(21.1);
  });

  it('answers with edges in order, whatever ε and counts are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(0.01, 1, 10),
        fc.nat(1000),
        (some, epsilon, seed) => {
          const found = approximateQuantiles(uniform(`order ${seed}`), some, [0.1, 0.5, 0.6, 0.9], epsilon);
          expect(found).toEqual(found.toSorted((a, b) => a - b));
          expect(found.every((edge) => edge >= 1 && edge <= some.length)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('private ranges', () => {
  const next = generator(seedOf('private ranges'));
  const rows = Array.from({ length: 20_000 }, () => [3 + 4 * next(), -next()]);
  const outer = [
    [-100, 100],
    [-10, 10],
  ] as const;
  const found = (epsilon: number, stages: 'one stage' | 'coarse, then fine', of = rows) =>
    privateRanges(of, outer, { stages, budget: { epsilon, dpDelta: 1e-6 }, seed: 'test' });

  it.each(['one stage', 'coarse, then fine'] as const)('lie around the rows, and not far: %s', (stages) => {
    const { ranges, refused } = found(3, stages);
    expect(refused).toBe(false);
    for (const [j, [least, largest]] of [[3, 7] as const, [-1, 0] as const].entries()) {
      const width = largest - least;
      expect(Math.abs(ranges[j]![0] - least)).toBeLessThan(0.4 * width);
      expect(Math.abs(ranges[j]![1] - largest)).toBeLessThan(0.4 * width);
    }
  });

  it('are refused where the rows are too few: the outer domain stays', () => {
    for (const stages of ['one stage', 'coarse, then fine'] as const) {
      expect(found(0.01, stages, rows.slice(0, 100))).toEqual({ ranges: outer, refused: true });
    }
  });

  it('spend what they are given, and with the projection the whole, no more', () => {
    for (const share of SHARES) {
      const { ranges, projection } = splitBudget(3, share);
      for (const stages of ['one stage', 'coarse, then fine'] as const) {
        const all = [...budgetsOf(stages, ranges), projection];
        expect(all.reduce((sum, { epsilon }) => sum + epsilon, 0)).toBeCloseTo(3, 12);
        expect(all.reduce((sum, { dpDelta }) => sum + dpDelta, 0)).toBeCloseTo(UTILITY_DELTA, 18);
      }
    }
  });

  it('are guessed wide by powers of ten, and scale rows into the unit ball', () => {
    expect(wideGuess([0, 10])).toEqual([-100, 100]);
    expect(wideGuess([-1, 1])).toEqual([-10, 10]);
    expect(wideGuess([0, 16])).toEqual([-1000, 1000]);
    expect(
      scaledBy(
        [7, 5, 4],
        [
          [0, 4],
          [5, 5],
          [0, 4],
        ],
      ),
    ).toEqual([1, 0, 1].map((x) => x / Math.sqrt(3)));
  });
});

describe('captured variance', () => {
  const next = generator(seedOf('captured'));
  // Variances 9, 4 and 1 of twelfths.
  const rows = Array.from({ length: 3000 }, () => [3 * next(), 2 * next(), next()]);
  const along = (...columns: number[]) => rows.map((row) => columns.map((j) => row[j]!));

  it('is that of the directions, over that of the best', () => {
    expect(explained(rows, along(0))).toBeCloseTo(1, 2);
    expect(explained(rows, along(1))).toBeCloseTo(4 / 9, 1);
    expect(explained(rows, along(0, 2))).toBeCloseTo(10 / 13, 1);
  });

  it('does not depend on how reduced rows are scaled, shifted or mixed', () => {
    const plain = explained(rows, along(0, 2));
    const mixed = rows.map(([a, , c]) => [1e-3 * (a! + c!) + 5, 100 * (a! - 2 * c!)]);
    expect(explained(rows, mixed)).toBeCloseTo(plain, 9);
    expect(
      explained(
        rows,
        rows.map(() => [1, 1]),
      ),
    ).toBe(0);
    expect(
      explained(
        rows,
        rows.map(([a]) => [a!, a!]),
      ),
    ).toBeLessThan(0.7);
  });
});

it('decides by pairs of splits', () => {
  const unit = (off: number): Measurement => ({
    id: 'ranges/iris/1',
    parameters: { dataset: 'iris' },
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    series: Object.fromEntries(
      ARM_NAMES.flatMap((arm) =>
        KINDS.flatMap((kind) =>
          SCORES.map((score) => [
            seriesOf(arm, kind, score),
            {
              unit: 'points' as const,
              samples: Array.from(
                { length: 10 },
                (_, i) => 70 + 5 * Math.sin(i) + (arm === 'wide guess' ? off + Math.cos(7 * i) / 10 : 0),
              ),
            },
          ]),
        ),
      ),
    ),
    facts: {},
  });
  const verdict = (off: number) =>
    decidedOf([unit(off)]).find(
      ({ kind, score, against }) => kind === 'pca' && score === 'captured' && against === 'wide guess',
    )!.cases[0]!.verdict;
  expect(verdict(-3)).toBe('ahead');
  expect(verdict(3)).toBe('behind');
  expect(verdict(0.5)).toBe('not behind');
});

it('repeats a unit by its seeds, to the last digit', { tags: ['long'] }, async () => {
  const { units } = await RANGES_SUITES.find(({ name }) => name === 'ranges')!.plan('quick');
  const pima = units.find(({ id }) => id === 'ranges/pima/1')!;
  const [once, again] = [await pima.measure(() => undefined), await pima.measure(() => undefined)];
  expect(again).toEqual(once);
});

test('theory agrees with the data that are kept, and their report says so without a hole', async () => {
  const kept = new URL('../../../docs/ranges-comparison/report.json', import.meta.url);
  const data = BenchDataSchema.parse(JSON.parse(await readFile(kept, 'utf8')));
  expect(contradictions(data)).toEqual([]);
  const page = reportToMarkdown(rangesReportOf(data));
  expect(page).not.toMatch(/NaN|undefined|Infinity|\*\*Disagreement/);
});
