/** `npm run bench:rotated`: PCA by the protocol `rotated`, and by `garbled` and `simulated` beside it. */

import {
  type Case,
  cpuSeconds,
  dataFile,
  type Measured,
  measureCase,
  peakMegabytes,
} from '@eigenveil/bench/decompositions';
import { formatQuantity } from '@eigenveil/bench/quantities';
import { median } from '@eigenveil/bench/statistics';
import { figures, renderTable, words } from '@eigenveil/bench/table';
import { benchmark, someOf, wholeNumber } from './options.ts';

const EXPLANATION = `Both servers are fresh processes that talk over TLS 1.3 on the loopback interface. A time is from the request for a connection to the result,
base transfers included (20 ms: with a proxy between them that holds back every byte for 20 ms in either direction); the median of the repetitions, in which the protocols take turns (garbled once, and from 50 features on only with
--garbled), after a run that counts rounds: messages of which each waits for the one before. Sine × gap is of the largest angle to the clear reference's
subspace, times the gap after the last component over λ₁. Synthetic data come from a seeded generator; data sets that are not bundled are
taken from the folder EIGENVEIL_DATA.`;

const SETS = [
  { dataset: 'pima', components: 6 },
  { dataset: 'breast_cancer_10', components: 8 },
  { dataset: 'australian', components: 8 },
  { dataset: 'german', components: 15 },
  { dataset: 'ionosphere', components: 15 },
  { dataset: 'synthetic50', components: 15 },
  { dataset: 'synthetic100', components: 15 },
] as const;
/** A long line: milliseconds in either direction. */
const DELAY = 20;
const DELAYED = 'pima';
/** On so long a line nothing comes back while messages that do not wait for it are still being made. */
const COUNTING_DELAY = 500;

const NAMES: readonly string[] = SETS.map(({ dataset }) => dataset);
const LARGE = ['synthetic50', 'synthetic100'];

const { json, repetitions, sets, garbled } = benchmark({
  name: 'bench:rotated',
  description: 'Times PCA by the two-party protocols rotated, garbled and simulated.',
  explanation: EXPLANATION,
  example: '--sets pima,ionosphere',
})
  .option('--repetitions <count>', 'timed runs of each', wholeNumber(), 3)
  .option('--sets <LIST>', 'only these data sets', someOf(NAMES), [...NAMES])
  .option('--garbled', 'garbled for large data sets, too, which takes minutes')
  .parse()
  .opts<{ json?: true; repetitions: number; sets: string[]; garbled?: true }>();

/** The protocols in turn; medians of their times, the largest of their errors. */
async function measureSet(dataset: string, components: number): Promise<Measured[]> {
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
  const delayed: Measured[] = [];
  const rounds = new Map<Case['twoParty'], number | undefined>();
  for (const twoParty of ['rotated', 'simulated'] as const) {
    const counted = await measureCase(
      { twoParty, method: 'pca', dataset, components, countsRounds: true, delayMilliseconds: COUNTING_DELAY },
      file,
    );
    rounds.set(twoParty, counted.rounds);
  }
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    if (dataset === DELAYED) {
      const wanted = { twoParty: 'rotated', method: 'pca', dataset, components } as const;
      delayed.push(await measureCase({ ...wanted, delayMilliseconds: DELAY }, file));
    }
    for (const [twoParty, done] of runs) {
      if (twoParty === 'garbled' && done.length > 0) continue;
      done.push(await measureCase({ twoParty, method: 'pca', dataset, components }, file));
    }
  }
  const all = [...runs, ...(delayed.length > 0 ? [['rotated', delayed] as const] : [])];
  return all.map(([twoParty, done]) => ({
    ...done[0]!,
    ...(rounds.get(twoParty) !== undefined && { rounds: rounds.get(twoParty)! }),
    seconds: median(done.map(({ seconds }) => seconds)),
    maxSineGap: Math.max(...done.map(({ maxSineGap }) => maxSineGap)),
    maxEigenvalueError: Math.max(...done.map(({ maxEigenvalueError }) => maxEigenvalueError)),
  }));
}

function render(all: readonly Measured[]): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
  return renderTable(all, [
    words('data set', (it) => it.dataset),
    figures('d', (it) => it.features),
    figures('k', (it) => it.components),
    words('protocol', ({ twoParty, delayMilliseconds }) =>
      delayMilliseconds === undefined ? twoParty : `${twoParty}, ${delayMilliseconds} ms`,
    ),
    figures('MB', (it) => megabytes(it.bytes)),
    figures('rounds', (it) => it.rounds ?? ''),
    figures('time', (it) => formatQuantity(1000 * it.seconds, 'ms')),
    figures('CPU s', cpuSeconds),
    figures('memory, MB', (it) => peakMegabytes(it, megabytes)),
    figures('sine × gap', (it) => it.maxSineGap.toExponential(0)),
    figures('|Δλ|/λ₁', (it) => it.maxEigenvalueError.toExponential(0)),
  ]);
}

const all: Measured[] = [];
for (const { dataset, components } of SETS.filter((set) => sets.includes(set.dataset))) {
  process.stderr.write(`measuring ${dataset} …\n`);
  all.push(...(await measureSet(dataset, components)));
}
if (json) {
  const programs = all.filter(({ twoParty }) => twoParty === 'rotated');
  console.log(JSON.stringify({ programs, comparison: all.filter((it) => !programs.includes(it)) }));
} else console.log(`${render(all)}\n${EXPLANATION}`);
