/** PCA and discriminant methods by the protocol `rotated`, and by `garbled` and `simulated` beside it. */
import type { LineOptions } from '@eigenveil/testbed/proxies/line';
import { chosenOf, median as middle, most, only, samplesOf } from '../instrument/figure.ts';
import { bits, setting, someOf, wholeNumber } from '../instrument/settings.ts';
import { median } from '../instrument/statistics.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { BYTES, COLUMNS, first, jsonOf, recordOf, SECONDS, time, timesIn, USED } from './decomposed.ts';
import { type Case, measureCase } from './decompositions.ts';
import { fileOfCase } from './own-rows.ts';
import { ownDecompositions, setsThere } from './planned-sets.ts';
import { referenceSeconds } from './reference.ts';

/** A task without its protocol. */
type Wanted = Pick<Case, 'dataset' | 'components' | 'method' | 'ridge' | 'floor'>;

const SETS: readonly Wanted[] = [
  { dataset: 'pima', method: 'pca', components: 6 },
  { dataset: 'breast_cancer_10', method: 'pca', components: 8 },
  { dataset: 'australian', method: 'pca', components: 8 },
  { dataset: 'german', method: 'pca', components: 15 },
  { dataset: 'ionosphere', method: 'pca', components: 15 },
  { dataset: 'synthetic50', method: 'pca', components: 15 },
  { dataset: 'synthetic100', method: 'pca', components: 15 },
  { dataset: 'synthetic200', method: 'pca', components: 15 },
  // There are as many components as its scatter between three classes has dimensions.
  { dataset: 'iris', method: 'lda', components: 2, ridge: 0.01 },
  { dataset: 'pima', method: 'dca', components: 1, ridge: 0.01 },
  { dataset: 'german', method: 'dca', components: 1, ridge: 0.01 },
  { dataset: 'ionosphere', method: 'dca', components: 1, ridge: 0.01 },
  { dataset: 'wisdm_walk_user', method: 'dca', components: 35, ridge: 1 },
  { dataset: 'synthetic50', method: 'dca', components: 2, ridge: 1 },
  // Its scatter has as many dimensions as the result.
  { dataset: 'meu_keystroke', method: 'dca', components: 55, ridge: 1 },
  { dataset: 'synthetic100', method: 'dca', components: 2, ridge: 1 },
];
/** A long line, and what is measured over it when no other line is asked for. */
const LONG_LINE = { delayMilliseconds: 20 };
const DELAYED = 'pima';
/** A line as long as this brings nothing back while messages that do not wait for it are still being made. */
const COUNTING_DELAY = 500;
/** Garbled takes minutes there. */
const LARGE = ['wisdm_walk_user', 'synthetic50', 'synthetic100', 'synthetic200', 'meu_keystroke'];
const LARGE_FEATURES = 40;

const METHODS = [...new Set(SETS.map(({ method }) => method))];
const NAMES = [...new Set(SETS.map(({ dataset }) => dataset))];

const REPETITIONS = setting({
  name: 'repetitions',
  says: 'timed runs of each',
  parse: wholeNumber(),
  quick: 1,
  full: 3,
});
const DATA_SETS = setting({
  name: 'sets',
  says: 'only these data sets',
  parse: someOf(NAMES),
  quick: ['iris', DELAYED],
  full: NAMES,
});
const ONLY_METHODS = setting({
  name: 'methods',
  says: 'only these methods',
  parse: someOf(METHODS),
  quick: METHODS,
  full: METHODS,
});
const GARBLED = setting<'small' | 'all'>({
  name: 'garbled',
  says: 'data sets that garbled takes, too: small, or all, which takes minutes',
  parse: (text) => someOf(['small', 'all'] as const)(text)[0]!,
  quick: 'small',
  full: 'small',
});
const FLOOR = setting<'no' | 'yes'>({
  name: 'floor',
  says: 'tasks with the floor: yes, or no for exact ones, which errors are of',
  parse: (text) => someOf(['no', 'yes'] as const)(text)[0]!,
  quick: 'no',
  full: 'no',
});
const RATE = setting({
  name: 'rate',
  says: 'the bits a second, each way, of a line that rotated runs over, too, such as 100M; 0: the line as it is',
  parse: bits,
  quick: 0,
  full: 0,
});
const DELAY = setting({
  name: 'delay',
  says: 'the milliseconds, each way, by which that line delays; 0: the line as it is',
  parse: wholeNumber(0),
  quick: 0,
  full: 0,
});

/** The line between the servers in the runs that are not on the loopback interface alone. */
function lineOf({ dataset, method, rate, delay }: Wanted & { rate: number; delay: number }) {
  if (rate === 0 && delay === 0) return dataset === DELAYED && method === 'pca' ? LONG_LINE : undefined;
  return {
    ...(rate > 0 && { bitsPerSecond: rate }),
    ...(delay > 0 && { delayMilliseconds: delay }),
  };
}

function labelOf(twoParty: string, { bitsPerSecond, delayMilliseconds }: LineOptions = {}): string {
  return [
    twoParty,
    ...(bitsPerSecond === undefined ? [] : [`${bitsPerSecond / 1e6} Mbit/s`]),
    ...(delayMilliseconds === undefined ? [] : [`${delayMilliseconds} ms`]),
  ].join(', ');
}

/** README tells of this one. */
const TOLD = { dataset: 'ionosphere', method: 'pca' };
/** The processor time of both processes. */
const timesOf = (protocol: string) => ({
  where: TOLD,
  figure: timesIn('cpu', { protocol }, { protocol: 'rotated' }),
});
const bytesOf = (protocol: string) => ({
  where: { ...TOLD, protocol },
  figure: first(only('bytes', BYTES)),
});

type Chosen = Tidy &
  Pick<Wanted, 'dataset' | 'method' | 'components'> & {
    readonly repetitions: number;
    readonly floor: string;
    readonly rate: number;
    readonly delay: number;
    readonly garbled: string;
  };

export const rotated = defineStudy<Chosen>({
  id: 'speed/rotated',
  isApart: true,
  settings: [REPETITIONS, DATA_SETS, ONLY_METHODS, GARBLED, FLOOR, RATE, DELAY],
  plan: async ({ settings, own }) => {
    const [names, methods] = [settings.of(DATA_SETS), settings.of(ONLY_METHODS)];
    const wanted = SETS.filter(({ dataset, method }) => names.includes(dataset) && methods.includes(method));
    const there = await setsThere(wanted);
    const isLarge = (dataset: string) =>
      own === undefined ? LARGE.includes(dataset) : own.columns.length >= LARGE_FEATURES;
    return {
      cases: (own === undefined ? there.sets : ownDecompositions(own)).map((it) => ({
        ...it,
        repetitions: settings.of(REPETITIONS),
        ...{ floor: settings.of(FLOOR), rate: settings.of(RATE), delay: settings.of(DELAY) },
        garbled: settings.of(GARBLED) === 'all' || !isLarge(it.dataset) ? 'yes' : 'no',
      })),
      omissions: own === undefined ? there.omissions : [],
    };
  },
  titleOf: ({ method, dataset }) => `${method} of ${dataset}`,
  expectedSeconds: ({ repetitions, garbled }) => 20 + 10 * repetitions + (garbled === 'yes' ? 10 : 0),
  async measure(chosen, { own, note }): Promise<Tidy[]> {
    const { dataset, method, components, ridge, repetitions } = chosen;
    const wanted: Wanted = {
      dataset,
      method,
      components,
      ...(ridge !== undefined && { ridge: Number(ridge) }),
      ...(chosen.floor === 'yes' && { floor: 'yes' as const }),
    };
    const file = await fileOfCase(dataset, own);
    const line = lineOf({ ...wanted, rate: chosen.rate, delay: chosen.delay });
    const trips = new Map<string, number>();
    for (const twoParty of ['rotated', 'simulated'] as const) {
      note(`trips of ${twoParty}`);
      const counting = { countsTrips: true, line: { delayMilliseconds: COUNTING_DELAY } };
      trips.set(twoParty, (await measureCase({ ...wanted, twoParty, ...counting }, file)).trips!);
    }
    const contestants: readonly Pick<Case, 'twoParty' | 'line'>[] = [
      { twoParty: 'rotated' },
      { twoParty: 'simulated' },
      ...(chosen.garbled === 'yes' ? [{ twoParty: 'garbled' } as const] : []),
      ...(line === undefined ? [] : [{ twoParty: 'rotated', line } as const]),
    ];
    const records: Tidy[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const reference = referenceSeconds();
      for (const contestant of contestants) {
        const protocol = labelOf(contestant.twoParty, contestant.line);
        if (protocol === 'garbled' && repetition > 0) continue;
        note(`${protocol}, ${repetition + 1} of ${repetitions}`);
        const measured = await measureCase({ ...wanted, ...contestant }, file);
        const counted = trips.get(contestant.twoParty);
        records.push({
          ...{ protocol, repetition, referenceSeconds: reference },
          ...recordOf({ ...measured, ...(counted !== undefined && { trips: counted }) }),
        });
      }
    }
    return records;
  },
  columns: COLUMNS,
  tables: {
    protocols: {
      caption: 'Decompositions by each protocol',
      rows: ['dataset', 'method', 'classes', 'features', 'components', 'protocol'],
      cells: {
        bytes: first(only('bytes', BYTES)),
        trips: first(only('trips')),
        time,
        reference: middle('referenceSeconds', SECONDS),
        'of it waits': middle('waitSeconds', SECONDS),
        ...USED,
        'sine × gap': most('maxSineGap', { power: true }),
        '|Δλ|/λ₁': most('maxEigenvalueError', { power: true }),
      },
    },
  },
  facts: {
    garbledBytes: bytesOf('garbled'),
    rotatedBytes: bytesOf('rotated'),
    simulatedBytes: bytesOf('simulated'),
    garbledTimes: timesOf('garbled'),
    simulatedTimes: timesOf('simulated'),
  },
  words: new URL('rotated.md', import.meta.url),
  json: (records, run) => {
    const all = rowsOf(records);
    const isRotated = ({ twoParty }: { readonly twoParty: unknown }) => twoParty === 'rotated';
    return { run, programs: all.filter(isRotated), comparison: all.filter((it) => !isRotated(it)) };
  },
});

/** The first run of each protocol, with medians of times and the largest of errors. */
function rowsOf(records: readonly Tidy[]) {
  const sets = Map.groupBy(records, ({ dataset, method }) => `${method} of ${dataset}`);
  return [...sets.values()].flatMap((ofSet) => {
    const reference = median(samplesOf(chosenOf(ofSet, { protocol: 'rotated' }), 'referenceSeconds'));
    return [...Map.groupBy(ofSet, ({ protocol }) => protocol).values()].map((runs) => ({
      ...jsonOf(runs[0]!),
      twoParty: runs[0]!.twoParty,
      referenceSeconds: reference,
      seconds: median(samplesOf(runs, 'seconds')),
      waitSeconds: median(samplesOf(runs, 'waitSeconds')),
      maxSineGap: Math.max(...samplesOf(runs, 'maxSineGap')),
      maxEigenvalueError: Math.max(...samplesOf(runs, 'maxEigenvalueError')),
    }));
  });
}
