/**
 * The published experiments, theory against experiment: 50 random intervals at N = 1,024, and the mean over all intervals for N = 2^0 … 2^10.
 *
 * Restoration is linear, so that an error does not depend on the counts: what is restored is noise alone. The mean over 10,000 repetitions has a known
 * expectation and a known standard error (moments.ts), with the variance of discrete noise and of both servers. It disagrees where it is farther from it than
 * a normal number is with probability FALSE_ALARM over the number of all cases. Means of this number of squares are nearly normal; their tail above is a little longer.
 */

import { leastThatHolds, millsRatio, normalDensity } from '@eigenveil/privacy/parts';
import {
  averageError,
  coefficientCount,
  type Interval,
  intervalError,
  noiseMoments,
  restore,
  type Strategy,
  toNumber,
} from '@eigenveil/release';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { chosenOf, count, type Figure, mean, only, within, written } from '../instrument/figure.ts';
import { defineStudy, type TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { exactSampler, fastSampler } from './draws.ts';
import {
  columnsOf,
  expectedMean,
  formOfAverage,
  formOfInterval,
  meanSquareOverIntervals,
} from './moments.ts';
import {
  CONTESTANTS,
  type Contestant,
  curatorVariance,
  FALSE_ALARM,
  INTERVALS,
  LARGEST_HEIGHT,
  noiseOf,
  PUBLISHED_REPETITIONS,
  REPETITIONS,
  SERVERS,
} from './settings.ts';

const FEW = `${PUBLISHED_REPETITIONS} repetitions`;
/** The one contestant whose published theory is known: continuous noise of one curator. */
const PUBLISHED = 'Privelet';

/** Draws the same intervals in every run. */
export function intervalsOf(bins: number): Interval[] {
  const next = generator(seedOf('ranges intervals'));
  return Array.from({ length: INTERVALS }, () => {
    const ends = [0, 0].map(() => Math.floor(next() * (bins + 1)));
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    return from < to ? { from, to } : { from: Math.min(from, bins - 1), to: Math.min(from, bins - 1) + 1 };
  });
}

/**
 * Bonferroni: how many standard errors each of a given number of cases may be off, to either side, at FALSE_ALARM for all together.
 */
export const boundFor = (cases: number): number =>
  leastThatHolds((z) => normalDensity(z) * millsRatio(z) <= FALSE_ALARM / (2 * cases), 1);

/** Every comparison of a run with how many standard errors it is off, and whether theory and experiment disagree. */
export function judged(records: readonly Tidy[]): Tidy[] {
  const bound = records.length === 0 ? 0 : boundFor(records.length);
  return records.map((record) => {
    const [theory, experiment, error] = [record.theory, record.experiment, record.error].map(Number);
    const distance = error === 0 ? (experiment === theory ? 0 : Infinity) : (experiment! - theory!) / error!;
    const off = Math.abs(distance);
    // A figure that is no number agrees with nothing.
    return { ...record, distance, off, bound, verdict: !(off <= bound) ? 'disagrees' : 'agrees' };
  });
}

const farthest =
  (tell: (record: Tidy) => string): Figure =>
  (records) => {
    const [first] = records.toSorted((a, b) => Number(b.off) - Number(a.off));
    return first === undefined ? mean('off')([]) : { value: Number(first.off), text: tell(first) };
  };

const signedDistance = farthest(({ distance }) => written(Number(distance), { digits: 2, signed: true }));
const ERRORS: TableOf['cells'] = {
  'exact theory': mean('theory'),
  experiment: mean('experiment'),
  '± exact': mean('error'),
  'standard errors': mean('distance', { digits: 2, signed: true }),
  [FEW]: mean('few'),
};
const PUBLISHED_ERRORS: TableOf['cells'] = {
  'published theory, one curator': mean('published'),
  ...ERRORS,
};
const judgedWhere = (where: TableOf['where']) => ({ of: 'judged', ...(where && { where }) });
const ofPrivelet = { what: 'interval', contestant: PUBLISHED };

export const experiments = defineStudy({
  id: 'ranges/experiments',
  plan: (asked) => {
    const quick = asked.scale === 'quick';
    const caseOf = ({ name, strategyOf }: Contestant, what: string, height: number, repetitions: number) => ({
      ...{ what, contestant: name, bins: 2 ** height },
      ...{ fanouts: strategyOf(height).fanouts.join(' '), repetitions },
    });
    const heights = Array.from({ length: (quick ? 6 : LARGEST_HEIGHT) + 1 }, (_, height) => height);
    return {
      cases: [
        ...CONTESTANTS.map((one) => caseOf(one, 'interval', LARGEST_HEIGHT, quick ? 1000 : REPETITIONS)),
        ...CONTESTANTS.flatMap((one) => heights.map((height) => caseOf(one, 'all', height, REPETITIONS))),
      ],
      omissions: quick ? [{ what: 'means over all intervals, N > 64', why: 'left to the full run' }] : [],
    };
  },
  titleOf: ({ what, contestant, bins }) =>
    what === 'interval' ? `intervals, ${contestant}` : `all intervals, ${contestant}, N = ${bins}`,
  expectedSeconds: ({ contestant, bins, repetitions }) =>
    0.3 + 4e-7 * repetitions * coefficientCount(experimentOf(contestant, bins).strategy),
  async measure({ what, bins, repetitions, ...of }): Promise<Tidy[]> {
    const { contestant, strategy } = experimentOf(of.contestant, bins);
    const moments = noiseMoments(noiseOf(strategy, contestant.noise), SERVERS);
    const { answers, squares } = askedOf(what, strategy);
    const experiment = await meansOf(strategy, contestant, 'fast', repetitions, squares);
    const few = await meansOf(strategy, contestant, 'exact', PUBLISHED_REPETITIONS, squares);
    const variance = curatorVariance(Math.log2(bins) + 1);
    return answers.map(({ of, units, published, form }, i) => ({
      ...{ ...of, theory: moments.variance * units },
      ...(contestant.name === PUBLISHED && { published: variance * published }),
      experiment: experiment[i]!,
      error: expectedMean(form, moments, repetitions).error,
      few: few[i]!,
    }));
  },
  columns: { bins: { title: 'N' }, contestant: { title: 'strategy' } },
  frames: { judged, drawn: drawnIntervals },
  tables: {
    intervals: {
      caption: 'Privelet: mean squared error of each interval, {repetitions} repetitions',
      ...judgedWhere(ofPrivelet),
      each: ['repetitions'],
      rows: ['interval', 'length'],
      cells: PUBLISHED_ERRORS,
    },
    strategies: {
      caption: 'All strategies over the same intervals: standard errors between theory and experiment',
      ...judgedWhere({ what: 'interval' }),
      rows: ['contestant', 'repetitions'],
      cells: {
        'mean of 50 errors, theory': mean('theory'),
        experiment: mean('experiment'),
        'farthest interval': signedDistance,
      },
    },
    published: {
      caption: 'Privelet: mean squared error over all intervals, {repetitions} repetitions',
      ...judgedWhere({ what: 'all', contestant: PUBLISHED }),
      each: ['repetitions'],
      rows: ['bins'],
      cells: PUBLISHED_ERRORS,
    },
    averages: {
      caption: '{contestant}: mean squared error over all intervals, {repetitions} repetitions',
      ...judgedWhere(({ what, contestant }) => what === 'all' && contestant !== PUBLISHED),
      each: ['contestant', 'repetitions'],
      rows: ['bins'],
      cells: ERRORS,
    },
    disagreements: {
      caption: 'Where theory and experiment disagree',
      ...judgedWhere({ verdict: 'disagrees' }),
      rows: ['contestant', 'bins', 'interval', 'repetitions'],
      cells: ERRORS,
    },
  },
  charts: {
    intervals: {
      caption: `Privelet at N = 1,024: squared error of ${INTERVALS} intervals over their length. Whiskers around the theory are three exact standard errors of ${FEW}`,
      of: 'drawn',
      mark: 'points',
      x: { column: 'length', title: 'bins of the interval' },
      y: { figure: within('squares', 'low', 'high'), title: 'squared error, rows²' },
      colour: 'from',
    },
    averages: {
      caption: 'Mean squared error over all intervals, as experiments have it',
      where: { what: 'all' },
      mark: 'line',
      x: { column: 'bins', title: 'bins', scale: 'log' },
      y: { figure: mean('experiment'), title: 'squared error, rows²', scale: 'log' },
      colour: 'contestant',
    },
  },
  facts: {
    cases: { of: 'judged', figure: count },
    disagreements: { of: 'judged', where: { verdict: 'disagrees' }, figure: count },
    bound: { of: 'judged', figure: only('bound', { digits: 2 }) },
    farthest: { of: 'judged', figure: farthest(({ off }) => written(Number(off), { digits: 2 })) },
    farthestCase: {
      of: 'judged',
      figure: farthest(({ contestant, bins, interval = `all, N = ${bins}` }) => `${contestant}, ${interval}`),
    },
    priveletTheory: { where: ofPrivelet, figure: mean('theory') },
    priveletExperiment: { where: ofPrivelet, figure: mean('experiment') },
  },
  holds: { agree: (fact) => fact('disagreements') === 0 },
  words: new URL('experiments.md', import.meta.url),
});

function experimentOf(name: string, bins: number): { contestant: Contestant; strategy: Strategy } {
  const contestant = CONTESTANTS.find((one) => one.name === name)!;
  return { contestant, strategy: contestant.strategyOf(Math.log2(bins)) };
}

/** Questions to a strategy: single intervals, or the mean over all of them. The published theory of all is an asymptote. */
function askedOf(what: string, strategy: Strategy) {
  const columns = columnsOf(strategy);
  if (what === 'all') {
    const height = Math.log2(strategy.bins);
    const units = toNumber(averageError(strategy, 'ranges'));
    return {
      answers: [{ of: {}, units, published: height / 6 + 1 / 36, form: formOfAverage(strategy, columns) }],
      squares: (counts: readonly number[]) => [meanSquareOverIntervals(counts)],
    };
  }
  const intervals = intervalsOf(strategy.bins);
  return {
    answers: intervals.map((interval) => {
      const { from, to } = interval;
      const units = toNumber(intervalError(strategy, interval));
      const of = { interval: `${from} to ${to}`, length: to - from };
      return { of, units, published: units, form: formOfInterval(columns, interval) };
    }),
    squares: (counts: readonly number[]) => {
      const prefixes = [0];
      for (const value of counts) prefixes.push(prefixes.at(-1)! + value);
      return intervals.map(({ from, to }) => (prefixes[to]! - prefixes[from]!) ** 2);
    },
  };
}

/** Privelet's intervals as the chart has them. */
function drawnIntervals(records: readonly Tidy[]): Tidy[] {
  return chosenOf(records, ofPrivelet).flatMap((record) => {
    const [theory, error, repetitions] = [record.theory, record.error, record.repetitions].map(Number);
    const three = 3 * error! * Math.sqrt(repetitions! / PUBLISHED_REPETITIONS);
    const length = record.length!;
    return [
      { length, from: FEW, squares: record.few! },
      { length, from: `${repetitions} repetitions`, squares: record.experiment! },
      { length, from: 'theory', squares: theory!, low: theory! - three, high: theory! + three },
    ];
  });
}

/** The means of what is found in restored noise. */
async function meansOf(
  strategy: Strategy,
  { name, noise: kind }: Contestant,
  draws: 'fast' | 'exact',
  repetitions: number,
  found: (counts: readonly number[]) => readonly number[],
): Promise<number[]> {
  const noise = noiseOf(strategy, kind);
  const sampler = draws === 'fast' ? fastSampler : exactSampler;
  const servers = Array.from({ length: SERVERS }, (_, i) =>
    sampler(noise, `ranges ${name} ${strategy.bins} ${draws} ${i}`),
  );
  const count = coefficientCount(strategy);
  let sums: number[] = [];
  for (let run = 0; run < repetitions; run += 1) {
    const coefficients = Array.from({ length: count }, () => servers.reduce((sum, draw) => sum + draw(), 0));
    const values = found(restore(strategy, coefficients));
    sums = values.map((value, i) => value + (sums[i] ?? 0));
    if (run % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return sums.map((sum) => sum / repetitions);
}
