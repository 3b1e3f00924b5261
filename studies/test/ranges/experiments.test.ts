/** The experiments on histograms: exact standard errors, fast draws, agreement, and disagreements that fail a run. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
import { tethered } from '@eigenveil/testbed/processes/tether';
import { describe, expect, it } from 'vitest';
import type { BenchData } from '../../instrument/report.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { agreementOf, boundFor, contradictionsOf } from '../../ranges/agreement.ts';
import { exactSampler, fastSampler } from '../../ranges/draws.ts';
import { casesOf, distanceOf, intervalsOf } from '../../ranges/experiments.ts';
import {
  columnsOf,
  expectedMean,
  formOfAverage,
  formOfInterval,
  meanSquareOverIntervals,
} from '../../ranges/moments.ts';
import { contradictions, RANGES_SUITES, rangesReportOf } from '../../ranges/suites.ts';

const STRATEGIES = [flat(5), privelet(3), binaryTree(2), tree([3, 2])];

describe('quadratic forms', () => {
  it.each(STRATEGIES)('are those of the matrix, entry by entry: %o', (strategy) => {
    const columns = columnsOf(strategy);
    const count = coefficientCount(strategy);
    const { bins } = strategy;
    const M = Array.from({ length: count }, () => new Array<number>(count).fill(0));
    for (let from = 0; from < bins; from += 1) {
      for (let to = from + 1; to <= bins; to += 1) {
        const weights = columns.map((column) => column.slice(from, to).reduce((a, b) => a + b, 0));
        const form = formOfInterval(columns, { from, to });
        expect(form.trace).toBeCloseTo(toNumber(intervalError(strategy, { from, to })), 12);
        expect(form.square).toBeCloseTo(form.trace ** 2, 12);
        expect(form.diagonal).toBeCloseTo(
          weights.reduce((sum, w) => sum + w ** 4, 0),
          12,
        );
        weights.forEach((w, i) => {
          weights.forEach((v, j) => {
            M[i]![j]! += (2 * w * v) / (bins * (bins + 1));
          });
        });
      }
    }
    const form = formOfAverage(strategy, columns);
    expect(form.trace).toBeCloseTo(toNumber(averageError(strategy, 'ranges')), 12);
    expect(form.square).toBeCloseTo(
      M.flat().reduce((sum, entry) => sum + entry ** 2, 0),
      12,
    );
    expect(form.diagonal).toBeCloseTo(
      M.reduce((sum, row, i) => sum + row[i]! ** 2, 0),
      12,
    );
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
    const mean = Array.from({ length: 2000 }, () => exact() ** 2).reduce((a, b) => a + b, 0) / 2000;
    expect(mean / noiseMoments(noise, 1).variance).toBeCloseTo(1, 0);
  });
});

/** Two small units of the experiments, measured. */
async function measured(): Promise<Measurement[]> {
  const { units } = await RANGES_SUITES.find(({ name }) => name === 'averages')!.plan('quick');
  const wanted = ['averages/Privelet/2', 'averages/Privelet, Gaussian/1'];
  const found: Measurement[] = [];
  for (const { id, parameters, measure } of units.filter((unit) => wanted.includes(unit.id))) {
    found.push({
      id,
      parameters,
      startedAt: '2026-01-01T00:00:00.000Z',
      seconds: 1,
      ...(await measure(() => undefined)),
    });
  }
  return found;
}

it('repeats by its seeds', { tags: ['long'] }, async () => {
  expect(await measured()).toEqual(await measured());
});

it('agrees with theory, and fails a run where one figure is off', { tags: ['long'] }, async () => {
  const own = await measured();
  expect(casesOf(own)).toHaveLength(2);
  const { bound, disagreements, farthest } = agreementOf(own);
  expect(disagreements).toEqual([]);
  expect(Math.abs(distanceOf(farthest!))).toBeLessThan(bound);
  const off = own.map((it, i) =>
    i === 0 ? { ...it, facts: { ...it.facts, theory: Number(it.facts.theory) * 1.1 } } : it,
  );
  expect(contradictionsOf(off)).toEqual([expect.stringMatching(/^Privelet, all, N = 4: theory says/)]);
  const lost = own.map((it) => ({ ...it, facts: { ...it.facts, experiment: Number.NaN } }));
  expect(contradictionsOf(lost)).toHaveLength(2);
  const data = dataOf(off);
  expect(contradictions(data)).toHaveLength(1);
  expect(rangesReportOf(data).introduction.join(' ')).toMatch(/\*\*Disagreement\.\*\*/);
});

it('fails as a command, with its report written', { tags: ['long'] }, async () => {
  const own = await measured();
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-ranges-'));
  try {
    const render = async (measurements: readonly Measurement[]) => {
      const file = join(folder, 'data.json');
      await writeFile(file, JSON.stringify(dataOf(measurements)));
      const [command, ...words] = tethered(process.execPath, PROGRAM, '--render', file, '--out', folder);
      const ended = await promisify(execFile)(command, words).catch((error) => error);
      const report = await readFile(join(folder, 'report.md'), 'utf8');
      return { code: ended.code ?? 0, said: `${ended.stderr}`, report };
    };
    const right = await render(own);
    expect(right.code).toBe(0);
    expect(right.report).toContain('agree in all 2 cases');
    const wrong = await render(
      own.map((it) => ({ ...it, facts: { ...it.facts, theory: Number(it.facts.theory) / 2 } })),
    );
    expect(wrong.code).not.toBe(0);
    expect(wrong.said).toContain('standard errors apart');
    expect(wrong.report).toContain('**disagree in 2 of 2 cases**');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const PROGRAM = fileURLToPath(new URL('../../../scripts/compare-ranges.ts', import.meta.url));

const dataOf = (measurements: readonly Measurement[]): BenchData => ({
  format: 'eigenveil-bench/1',
  description: { scale: 'quick', suites: ['averages'], environment: ENVIRONMENT },
  finishedAt: '2026-01-01T00:00:00.000Z',
  measurements: [...measurements],
  omissions: [],
});

const ENVIRONMENT = {
  ...{ commit: 'abc', changes: null, processor: 'another machine', cores: 64, memoryBytes: 1 },
  ...{ system: 'none', node: 'none', openssl: 'none', packages: {} },
};

it('bounds all cases together by the level, and asks the same intervals in every run', () => {
  // Of the normal distribution, both sides.
  expect(boundFor(1)).toBeCloseTo(3.2905, 3);
  expect(boundFor(366)).toBeCloseTo(4.69, 1);
  const intervals = intervalsOf(1024);
  expect(intervals).toEqual(intervalsOf(1024));
  expect(intervals).toHaveLength(50);
  expect(intervals.every(({ from, to }) => from >= 0 && from < to && to <= 1024)).toBe(true);
});
