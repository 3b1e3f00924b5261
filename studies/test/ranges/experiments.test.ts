/** The experiments on histograms: exact standard errors, fast draws, agreement, and disagreements that fail a run. */
import { readFile } from 'node:fs/promises';
import {
  averageError,
  binaryTree,
  type CoefficientNoise,
  coefficientCount,
  flat,
  intervalError,
  noiseMoments,
  privelet,
  toNumber,
  tree,
} from '@eigenveil/release';
import { distribution, pValue, roundedGaussian } from '@eigenveil/testbed/goodness/goodness';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { StudyResults } from '../../instrument/results.ts';
import { measured } from '../../instrument/run.ts';
import { reportOf } from '../../instrument/told.ts';
import { exactSampler, fastSampler } from '../../ranges/draws.ts';
import { boundFor, experiments, intervalsOf, judged } from '../../ranges/experiments.ts';
import { ranges } from '../../ranges/index.ts';
import {
  columnsOf,
  expectedMean,
  formOfAverage,
  formOfInterval,
  meanSquareOverIntervals,
} from '../../ranges/moments.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const STRATEGIES = [flat(5), privelet(3), binaryTree(2), tree([3, 2])];

describe('quadratic forms', () => {
  it.each(STRATEGIES)('are those of the matrix, entry by entry: %o', (strategy) => {
    const columns = columnsOf(strategy);
    const count = coefficientCount(strategy);
    const { bins } = strategy;
    const M = Matrix.zeros(count, count);
    for (let from = 0; from < bins; from += 1) {
      for (let to = from + 1; to <= bins; to += 1) {
        const weights = columns.map((column) => sum(column.slice(from, to)));
        const form = formOfInterval(columns, { from, to });
        expect(form.trace).toBeCloseTo(toNumber(intervalError(strategy, { from, to })), 12);
        expect(form.square).toBeCloseTo(form.trace ** 2, 12);
        expect(form.diagonal).toBeCloseTo(sum(weights.map((w) => w ** 4)), 12);
        const own = Matrix.columnVector(weights);
        M.add(own.mmul(own.transpose()).mul(2 / (bins * (bins + 1))));
      }
    }
    const form = formOfAverage(strategy, columns);
    expect(form.trace).toBeCloseTo(toNumber(averageError(strategy, 'ranges')), 12);
    expect(form.square).toBeCloseTo(M.norm() ** 2, 12);
    expect(form.diagonal).toBeCloseTo(sum(M.diagonal().map((entry) => entry ** 2)), 12);
  });

  it('have the mean and the variance of a sum over all outcomes', () => {
    // Two coefficients whose noise is −2, 0, 1 or 3 with mean 0.
    const outcomes = [
      [-2, 0.4],
      [0, 0.2],
      [1, 0.35],
      [3, 0.05],
    ] as const;
    const mean = (power: number) => outcomes.reduce((sum, [x, p]) => sum + x ** power * p, 0);
    const shift = mean(1);
    const central = (power: number) => outcomes.reduce((sum, [x, p]) => sum + (x - shift) ** power * p, 0);
    const moments = { variance: central(2), fourthCumulant: central(4) - 3 * central(2) ** 2 };
    const strategy = privelet(1);
    const columns = columnsOf(strategy);
    const value = (x: number, y: number) =>
      meanSquareOverIntervals([0, 1].map((bin) => columns[0]![bin]! * x + columns[1]![bin]! * y));
    let [first, second] = [0, 0];
    for (const [x, p] of outcomes) {
      for (const [y, q] of outcomes) {
        const found = value(x - shift, y - shift);
        first += p * q * found;
        second += p * q * found ** 2;
      }
    }
    const expected = expectedMean(formOfAverage(strategy, columns), moments, 7);
    expect(expected.mean).toBeCloseTo(first, 12);
    expect(expected.error).toBeCloseTo(Math.sqrt((second - first ** 2) / 7), 12);
  });
});

describe('fast draws', () => {
  const laplace: CoefficientNoise = { kind: 'laplace', scale: { numerator: 11n, denominator: 4n } };
  const gaussian: CoefficientNoise = {
    kind: 'gaussian',
    sigmaSquared: { numerator: 9n, denominator: 4n },
    latticeBits: 40,
  };
  it.each([
    [laplace, distribution(200, (y) => -Math.abs(y) / 2.75)],
    [gaussian, roundedGaussian(2.25)],
  ] as const)('are of the distribution that a release draws from: %o', (noise, expected) => {
    const draw = fastSampler(noise, 'fast');
    const samples = Array.from({ length: 50_000 }, () => BigInt(draw()));
    expect(pValue(samples, expected)).toBeGreaterThan(1e-4);
    const exact = exactSampler(noise, 'exact');
    const square = sum(Array.from({ length: 2000 }, () => exact() ** 2)) / 2000;
    expect(square / noiseMoments(noise, 1).variance).toBeCloseTo(1, 0);
  });
});

describe('theory and experiment', () => {
  const one = { theory: 100, error: 2, experiment: 101 };

  it('agree within the bound of all cases together, and no number agrees with nothing', () => {
    const verdicts = judged([one, { ...one, experiment: 107 }, { ...one, experiment: Number.NaN }]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['agrees', 'agrees', 'disagrees']);
    expect(verdicts[1]).toMatchObject({ distance: 3.5, off: 3.5, bound: boundFor(3) });
    expect(judged([{ ...one, experiment: 90 }])[0]).toMatchObject({ distance: -5, verdict: 'disagrees' });
    // Without noise nothing may be off.
    const exact = { theory: 1, error: 0, experiment: 1 };
    expect(judged([exact, { ...exact, experiment: 2 }]).map(({ verdict }) => verdict)).toEqual([
      'agrees',
      'disagrees',
    ]);
  });

  it.each(['Privelet', 'Boost, Gaussian'])('agree where they are measured: %s', async (contestant) => {
    const parameters = { what: 'all', contestant, bins: 4, fanouts: '2 2', repetitions: 2000 };
    const bench = { note: () => undefined };
    const found = await measured({ study: experiments, parameters }, bench);
    expect(judged(found)).toMatchObject([{ verdict: 'agrees' }]);
    expect(await measured({ study: experiments, parameters }, bench)).toEqual(found);
    // The asymptote is of one curator.
    expect(found[0]!.published).toBe(contestant === 'Privelet' ? 6.5 : undefined);
  });

  it('agree in the report that is kept, and one figure that is off contradicts it', async () => {
    const kept = new URL('../../../docs/ranges-comparison/report.json', import.meta.url);
    const results = StudyResults.parse(JSON.parse(await readFile(kept, 'utf8')));
    expect((await reportOf(ranges, results)).contradictions).toEqual([]);
    const [first, ...rest] = results.cases.filter(({ study }) => study === experiments.id);
    const theory = first!.columns.indexOf('theory');
    const [row, ...rows] = first!.rows;
    const off = { ...first!, rows: [row!.with(theory, 2 * Number(row![theory])), ...rows] };
    const { report, contradictions } = await reportOf(ranges, { ...results, cases: [off, ...rest] });
    expect(contradictions).toEqual([expect.stringMatching(/^contradicted: Theory and experiment agree/)]);
    const told = report.sections.flatMap(({ blocks }) => blocks);
    expect(told.find((block) => block.kind === 'table' && block.caption.includes('disagree'))).toMatchObject({
      rows: [['Privelet', '1024', '167 to 997', '10000', ...new Array(5).fill(expect.any(String))]],
    });
  });
});

it('bounds all cases together by the level, and asks the same intervals in every run', () => {
  // Quantiles of the normal distribution, both sides.
  expect(boundFor(1)).toBeCloseTo(3.2905, 3);
  expect(boundFor(366)).toBeCloseTo(4.69, 1);
  const intervals = intervalsOf(1024);
  expect(intervals).toEqual(intervalsOf(1024));
  expect(intervals).toHaveLength(50);
  expect(intervals.every(({ from, to }) => from >= 0 && from < to && to <= 1024)).toBe(true);
});
