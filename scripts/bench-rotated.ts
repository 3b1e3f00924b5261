/** `npm run bench:rotated`: PCA and discriminant methods by the protocol `rotated`, and by `garbled` and `simulated` beside it. */

import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import { median } from '@eigenveil/studies/instrument/statistics';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import {
  type Case,
  cpuSeconds,
  dataFile,
  type Measured,
  measureCase,
  peakMegabytes,
} from '@eigenveil/studies/speed/decompositions';
import { referenceSeconds } from '@eigenveil/studies/speed/reference';
import { benchmark, bits, printJson, someOf, wholeNumber } from './options.ts';

const EXPLANATION = `Both servers are fresh processes that talk over TLS 1.3 on the loopback interface. A time is from the request for a connection to the result,
base transfers included; over a line of another rate or length (--rate, --delay) a relay between them limits each direction. It is the median of the repetitions, in which the protocols take turns (garbled once, and from 50 features on only with
--garbled), after a run that counts trips: messages of which each waits for the one before. The reference is a fixed piece of work on one core, timed in turn with them. Tasks by rotated say that the line is
fast, where it carries 1.5 Gbit/s or more. Waits are until public moments, so that time tells nothing. Sine × gap is of the largest angle to the clear reference's
subspace, times the gap after the last component over λ₁. Synthetic data come from a seeded generator; data sets that are not bundled are
taken from the folder EIGENVEIL_DATA.`;

/** With what a fixed piece of work took, in turn with these runs. */
type Row = Measured & { readonly referenceSeconds: number };
/** A task without its protocol. */
type Wanted = Pick<Case, 'dataset' | 'components' | 'method' | 'ridge'>;

const SETS: readonly Wanted[] = [
  { dataset: 'pima', method: 'pca', components: 6 },
  { dataset: 'breast_cancer_10', method: 'pca', components: 8 },
  { dataset: 'australian', method: 'pca', components: 8 },
  { dataset: 'german', method: 'pca', components: 15 },
  { dataset: 'ionosphere', method: 'pca', components: 15 },
  { dataset: 'synthetic50', method: 'pca', components: 15 },
  { dataset: 'synthetic100', method: 'pca', components: 15 },
  // As many components as its scatter between three classes has dimensions.
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
/** On so long a line nothing comes back while messages that do not wait for it are still being made. */
const COUNTING_DELAY = 500;

const METHODS = [...new Set(SETS.map(({ method }) => method))];
const NAMES = [...new Set(SETS.map(({ dataset }) => dataset))];
const LARGE = ['wisdm_walk_user', 'synthetic50', 'synthetic100', 'meu_keystroke'];

const { json, repetitions, sets, methods, garbled, rate, delay } = benchmark({
  name: 'bench:rotated',
  description:
    'Times PCA and discriminant methods by the two-party protocols rotated, garbled and simulated.',
  explanation: EXPLANATION,
  example: '--sets ionosphere --methods pca --rate 100M --delay 20',
})
  .option('--repetitions <count>', 'timed runs of each', wholeNumber(), 3)
  .option('--sets <LIST>', 'only these data sets', someOf(NAMES), [...NAMES])
  .option('--methods <LIST>', 'only these methods', someOf(METHODS), [...METHODS])
  .option('--rate <bits>', 'rotated over a line of so many bits a second each way, too, such as 100M', bits)
  .option('--delay <milliseconds>', 'and of so many milliseconds each way', wholeNumber())
  .option('--garbled', 'garbled for large data sets, too, which takes minutes')
  .parse()
  .opts<{
    json?: true;
    repetitions: number;
    sets: string[];
    methods: string[];
    garbled?: true;
    rate?: number;
    delay?: number;
  }>();

/** What lies between the servers in the runs that are not on the loopback interface alone. */
function lineFor({ dataset, method }: Wanted): Case['line'] {
  if (rate === undefined && delay === undefined) {
    return dataset === DELAYED && method === 'pca' ? LONG_LINE : undefined;
  }
  return {
    ...(rate !== undefined && { bitsPerSecond: rate }),
    ...(delay !== undefined && { delayMilliseconds: delay }),
  };
}

/** The protocols in turn; medians of their times, the largest of their errors. */
async function measureSet(wanted: Wanted): Promise<Row[]> {
  const { dataset } = wanted;
  const file = await dataFile(dataset);
  if (file === undefined) {
    process.stderr.write(`${dataset} is left out: it is not in the folder EIGENVEIL_DATA\n`);
    return [];
  }
  const runs = new Map<Case['twoParty'], Measured[]>([
    ['rotated', []],
    ['simulated', []],
  ]);
  if (garbled || !LARGE.includes(dataset)) runs.set('garbled', []);
  const line = lineFor(wanted);
  const far: Measured[] = [];
  const reference: number[] = [];
  const trips = new Map<Case['twoParty'], number | undefined>();
  for (const twoParty of ['rotated', 'simulated'] as const) {
    const counted = await measureCase(
      { ...wanted, twoParty, countsTrips: true, line: { delayMilliseconds: COUNTING_DELAY } },
      file,
    );
    trips.set(twoParty, counted.trips);
  }
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    reference.push(referenceSeconds());
    if (line !== undefined) far.push(await measureCase({ ...wanted, twoParty: 'rotated', line }, file));
    for (const [twoParty, done] of runs) {
      if (twoParty === 'garbled' && done.length > 0) continue;
      done.push(await measureCase({ ...wanted, twoParty }, file));
    }
  }
  const all = [...runs, ...(far.length > 0 ? [['rotated', far] as const] : [])];
  return all.map(([twoParty, done]) => ({
    ...done[0]!,
    ...(trips.get(twoParty) !== undefined && { trips: trips.get(twoParty)! }),
    referenceSeconds: median(reference),
    seconds: median(done.map(({ seconds }) => seconds)),
    waitSeconds: median(done.map(({ waitSeconds }) => waitSeconds)),
    maxSineGap: Math.max(...done.map(({ maxSineGap }) => maxSineGap)),
    maxEigenvalueError: Math.max(...done.map(({ maxEigenvalueError }) => maxEigenvalueError)),
  }));
}

function wordsOf({ bitsPerSecond, delayMilliseconds }: NonNullable<Case['line']> = {}): string[] {
  return [
    ...(bitsPerSecond === undefined ? [] : [`${bitsPerSecond / 1e6} Mbit/s`]),
    ...(delayMilliseconds === undefined ? [] : [`${delayMilliseconds} ms`]),
  ];
}

function render(all: readonly Row[]): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
  return renderTable(all, [
    words('data set', (it) => it.dataset),
    words('method', (it) => it.method),
    figures('K', (it) => it.classes),
    figures('d', (it) => it.features),
    figures('k', (it) => it.components),
    words('protocol', ({ twoParty, line }) => [twoParty, ...wordsOf(line)].join(', ')),
    figures('MB', (it) => megabytes(it.bytes)),
    figures('trips', (it) => it.trips ?? ''),
    figures('time', (it) => formatQuantity(1000 * it.seconds, 'ms')),
    figures('reference', (it) => formatQuantity(1000 * it.referenceSeconds, 'ms')),
    figures('of it waits', (it) => formatQuantity(1000 * it.waitSeconds, 'ms')),
    figures('CPU s', cpuSeconds),
    figures('memory, MB', (it) => peakMegabytes(it, megabytes)),
    figures('sine × gap', (it) => it.maxSineGap.toExponential(0)),
    figures('|Δλ|/λ₁', (it) => it.maxEigenvalueError.toExponential(0)),
  ]);
}

const all = await measureEach(
  SETS.filter(({ dataset, method }) => sets.includes(dataset) && methods.includes(method)),
  ({ method, dataset }) => `${method} of ${dataset}`,
  measureSet,
);
if (json) {
  const programs = all.filter(({ twoParty }) => twoParty === 'rotated');
  await printJson({ programs, comparison: all.filter((it) => !programs.includes(it)) });
} else console.log(`${render(all)}\n${EXPLANATION}`);
