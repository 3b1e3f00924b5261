/** A decomposition between two processes as a tidy record, and back as the JSON of the older benchmarks has it. */
import { chosenOf, type Figure, median, only, samplesOf } from '../instrument/figure.ts';
import { median as middle } from '../instrument/statistics.ts';
import type { Columns } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import type { Measured } from './decompositions.ts';

export function recordOf(measured: Measured): Tidy {
  const { line = {}, garbler, evaluator, minCosine, trips, ...rest } = measured;
  const { countsTrips: _, ridge: _ridge, scale: _scale, ...plain } = rest;
  return {
    ...plain,
    ...line,
    ...(trips !== undefined && { trips }),
    // There is no cosine where no eigenvalue stands apart.
    ...(Number.isFinite(minCosine) && { minCosine }),
    varianceLost: 1 - measured.varianceRatio,
    cpu: garbler.cpuSeconds + evaluator.cpuSeconds,
    ...{ garblerMemory: garbler.peakMemoryBytes, garblerCpu: garbler.cpuSeconds },
    ...{ evaluatorMemory: evaluator.peakMemoryBytes, evaluatorCpu: evaluator.cpuSeconds },
  };
}

const KEPT = [
  ...['dataset', 'method', 'components', 'ridge', 'twoParty', 'features', 'classes', 'andGates', 'bytes'],
  ...['trips', 'seconds', 'waitSeconds', 'minCosine', 'varianceRatio', 'maxSineGap', 'maxEigenvalueError'],
];

/** The form that `--json` has always printed of one decomposition. */
export function jsonOf(record: Tidy): object {
  const { bitsPerSecond, delayMilliseconds } = record;
  const line = {
    ...(bitsPerSecond !== undefined && { bitsPerSecond }),
    ...(delayMilliseconds !== undefined && { delayMilliseconds }),
  };
  return {
    minCosine: null,
    ...Object.fromEntries(KEPT.flatMap((name) => (name in record ? [[name, record[name]]] : []))),
    ...(Object.keys(line).length > 0 && { line }),
    garbler: { peakMemoryBytes: record.garblerMemory, cpuSeconds: record.garblerCpu },
    evaluator: { peakMemoryBytes: record.evaluatorMemory, cpuSeconds: record.evaluatorCpu },
  };
}

export const COLUMNS: Columns = {
  dataset: { title: 'data set' },
  classes: { title: 'K' },
  features: { title: 'd' },
  components: { title: 'k' },
};

/** The value of the first run: what does not depend on the moment, or what is told of one run. */
export const first =
  (figure: Figure): Figure =>
  (records) =>
    figure(records.slice(0, 1));

export const SECONDS = { unit: 's' } as const;
export const BYTES = { unit: 'bytes' } as const;

/** The ratio of medians: `2.9`. Repetitions need not be as many. */
export const timesIn =
  (column: string, above: Tidy, below: Tidy): Figure =>
  (records) => {
    const [own, other] = [above, below].map((of) => samplesOf(chosenOf(records, of), column));
    if (own!.length === 0 || other!.length === 0) return only(column)([]);
    const value = middle(own!) / middle(other!);
    return { value, text: value.toFixed(1) };
  };

/** The resources that both processes used. */
export const USED: Readonly<Record<string, Figure>> = {
  'CPU, garbler': first(only('garblerCpu', SECONDS)),
  'CPU, evaluator': first(only('evaluatorCpu', SECONDS)),
  'memory, garbler': first(only('garblerMemory', BYTES)),
  'memory, evaluator': first(only('evaluatorMemory', BYTES)),
};

export const time = median('seconds', SECONDS);
