/** AND gates per second of garbler and evaluator, and whole decompositions between two processes. */
import { only, samplesOf } from '../instrument/figure.ts';
import { setting, someOf, wholeNumber } from '../instrument/settings.ts';
import { median as middle } from '../instrument/statistics.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { measureCircuits, type Row, widest } from './circuits.ts';
import { BYTES, COLUMNS, first, jsonOf, recordOf, time, USED } from './decomposed.ts';
import { type Case, measureCase } from './decompositions.ts';
import { fileOfCase } from './own-rows.ts';
import { ownDecompositions, setsThere } from './planned-sets.ts';

const PROGRAMS: readonly Pick<Case, 'method' | 'dataset' | 'components'>[] = [
  { method: 'pca', dataset: 'pima', components: 7 },
  { method: 'pca', dataset: 'breast_cancer_10', components: 8 },
  { method: 'pca', dataset: 'australian', components: 8 },
  { method: 'pca', dataset: 'german', components: 15 },
  { method: 'pca', dataset: 'ionosphere', components: 15 },
  { method: 'pca', dataset: 'synthetic50', components: 15 },
  { method: 'dca', dataset: 'pima', components: 1 },
  { method: 'dca', dataset: 'breast_cancer_10', components: 1 },
  { method: 'dca', dataset: 'australian', components: 1 },
  { method: 'dca', dataset: 'german', components: 1 },
  { method: 'dca', dataset: 'ionosphere', components: 1 },
  { method: 'dca', dataset: 'synthetic50', components: 2 },
];
const CIRCUITS = 'circuits' as const;
/** The runs of a program: as many as fit, up to a largest number. */
const RUNS = { mostRuns: 3, enoughSeconds: 20 };

const nameOf = ({ method, dataset }: Pick<Case, 'method' | 'dataset'>) => `${method}:${dataset}`;
const NAMES = [CIRCUITS, ...PROGRAMS.map(nameOf)];

const REPETITIONS = setting({
  name: 'repetitions',
  says: 'timed repetitions of each circuit',
  parse: wholeNumber(),
  quick: 2,
  full: 9,
});
const PARTS = setting({
  name: 'parts',
  says: 'only circuits, or programs such as pca:pima',
  parse: someOf(NAMES),
  quick: [CIRCUITS, 'pca:pima', 'dca:pima'],
  full: NAMES,
});

type Program = Pick<Case, 'method' | 'dataset' | 'components'>;
type Chosen =
  | { readonly part: 'circuits'; readonly repetitions: number }
  | ({ readonly part: 'program'; readonly mostRuns: number; readonly enoughSeconds: number } & Program);

export const garbling = defineStudy<Chosen>({
  id: 'speed/garbling',
  isApart: true,
  settings: [REPETITIONS, PARTS],
  plan: async ({ settings, own }) => {
    const parts = settings.of(PARTS);
    const there = await setsThere(PROGRAMS.filter((it) => parts.includes(nameOf(it))));
    const programs = own === undefined ? there.sets : ownDecompositions(own);
    const hasCircuits = own === undefined && parts.includes(CIRCUITS);
    return {
      cases: [
        ...(hasCircuits ? [{ part: CIRCUITS, repetitions: settings.of(REPETITIONS) }] : []),
        ...programs.map((it) => ({ part: 'program' as const, ...it, ...RUNS })),
      ],
      omissions: own === undefined ? there.omissions : [],
    };
  },
  titleOf: (chosen) => (chosen.part === CIRCUITS ? CIRCUITS : nameOf(chosen)),
  expectedSeconds: (chosen) => (chosen.part === CIRCUITS ? 5 * chosen.repetitions : RUNS.enoughSeconds),
  async *measure(chosen, { own, note }) {
    if (chosen.part === CIRCUITS) {
      for (const row of await measureCircuits(chosen.repetitions, note)) yield circuitRecord(row);
      return;
    }
    const { method, dataset, components, mostRuns, enoughSeconds } = chosen;
    const file = await fileOfCase(dataset, own);
    let total = 0;
    for (let run = 0; run < mostRuns && total < enoughSeconds; run += 1) {
      note(`run ${run + 1}`);
      const measured = await measureCase({ twoParty: 'garbled', method, dataset, components }, file);
      total += measured.seconds;
      yield { run, ...recordOf(measured) };
    }
  },
  columns: COLUMNS,
  tables: {
    circuits: {
      caption: 'Circuits, on one core',
      where: { part: CIRCUITS },
      rows: ['circuit', 'width'],
      cells: {
        gates: only('gates'),
        bytes: only('bytes', BYTES),
        garble: only('garbleMs', { unit: 'ms' }),
        evaluate: only('evaluateMs', { unit: 'ms' }),
        'garbled, million a second': only('garbleMillions', { digits: 1 }),
        'evaluated, million a second': only('evaluateMillions', { digits: 1 }),
      },
    },
    programs: {
      caption: 'Decompositions between two processes',
      where: { part: 'program' },
      rows: ['method', 'dataset', 'features', 'components'],
      cells: {
        'AND gates': first(only('andGates')),
        bytes: first(only('bytes', BYTES)),
        time,
        ...USED,
        cosine: first(only('minCosine', { digits: 7 })),
        '1 − variance': first(only('varianceLost', { power: true })),
      },
    },
  },
  words: new URL('garbling.md', import.meta.url),
  json: (records, run) => {
    const rows = records.filter(({ part }) => part === CIRCUITS).map(circuitOf);
    const { garblePerSecond, evaluatePerSecond } = widest(rows) ?? {};
    return { run, garblePerSecond, evaluatePerSecond, programs: programsOf(records), rows };
  },
});

function circuitRecord({ circuit, width, gates, bytes, ...row }: Row): Tidy {
  return {
    ...{ circuit, width, gates, bytes },
    ...{ garbleMs: 1000 * row.garbleSeconds, evaluateMs: 1000 * row.evaluateSeconds },
    ...{ garbleMillions: row.garblePerSecond / 1e6, evaluateMillions: row.evaluatePerSecond / 1e6 },
  };
}

function circuitOf(record: Tidy): Row {
  const number = (column: string) => Number(record[column]);
  return {
    circuit: String(record.circuit),
    ...{ width: number('width'), gates: number('gates'), bytes: number('bytes') },
    ...{ garbleSeconds: number('garbleMs') / 1000, evaluateSeconds: number('evaluateMs') / 1000 },
    garblePerSecond: 1e6 * number('garbleMillions'),
    evaluatePerSecond: 1e6 * number('evaluateMillions'),
  };
}

/** The first run of each program, with the median of the times. */
function programsOf(records: readonly Tidy[]): object[] {
  const programs = records.filter(({ part }) => part === 'program');
  return [...Map.groupBy(programs, ({ method, dataset }) => `${method}:${dataset}`).values()].map((runs) => ({
    ...jsonOf(runs[0]!),
    seconds: middle(samplesOf(runs, 'seconds')),
  }));
}
