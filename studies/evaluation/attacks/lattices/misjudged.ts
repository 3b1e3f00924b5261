/** Floors that are right for what a task declares, over rows of which that is not true or of which other results tell exactly: all must be found. */
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { floorOf, type Task, TaskProposal } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedOf, scaledRows } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { agreed } from '../in-process/small-task.ts';
import { populationOf } from '../tasks/population.ts';
import { clearResult, RELEASES, realResult } from './floor.ts';
import { countsOf, drawnOf, drawnTask, type MatrixTask, tellingOfResult } from './matrices.ts';
import { knownOf, leak, pairsOf, RUNS, TASK, WIDE } from './planted.ts';
import { readWhole } from './reader.ts';
import {
  countsOfRow,
  countsUnknown,
  GRAIN,
  productsUnknown,
  type ScatterEquation,
  tellingOf,
} from './scatter.ts';
import { type Scored, scoreOf } from './scoring.ts';
import { dividedBy, drawnRows, LABELS, twoValuedTask } from './two-valued.ts';

const SCALE = 7;

/** A data user that adds the encrypted sums up several times: the noise stays as it is. */
async function scaledRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...WIDE, releases: RELEASES }, draws);
  const { task, statistics } = drawn;
  const times = (values: readonly bigint[]) => values.map((value) => value * BigInt(SCALE));
  const scaled: Statistics = {
    ...statistics,
    R: times(statistics.R),
    labellings: statistics.labellings.map((sums) =>
      sums.map(({ V, M }) => ({ V: times(V), M: M * BigInt(SCALE) })),
    ),
  };
  const wide: Task = { ...task, maximumSamplesPerOwner: SCALE * task.maximumSamplesPerOwner };
  const computed = { task: wide, statistics: scaled };
  const { vectors, eigenvalues, spectrum } = await realResult(computed, draws.of('floor'));
  const down = (values: readonly number[]) => values.map((value) => value / SCALE);
  const result = { vectors, eigenvalues: down(eigenvalues), spectrum: down(spectrum!) };
  const unknowns = countsUnknown(knownOf(drawn));
  const telling = tellingOfResult(unknowns, result, drawn, floorOf(task)!.deviation / SCALE);
  return scoreOf(readWhole(unknowns.expected, [telling]), pairsOf(drawn));
}

/** Values that fill a small part of their range, in steps of a given number of cells of 2^−14. */
const STEPS = [8, 11];
const FILLED = 2 ** -5;
const STEPPED: MatrixTask = { ...TASK, components: 5, outputs: [], releases: RELEASES };

function steppedRows(scene: Scene, rows: readonly SceneRow[], grain: number): SceneRow[] {
  const places = dividedBy(scene).slice(0, STEPPED.features);
  const scaled = scaledRows(scene.proposal, rows);
  return rows.map((row, r) => ({
    ...row,
    values: places.map(({ feature }) => grain * Math.round((FILLED * scaled[r]![feature]!) / grain)),
  }));
}

/** A task whose features say that a cell is their grain, so that the floor is that of cells. */
async function steppedRun(scene: Scene, steps: number, draws: Draws): Promise<Scored> {
  const { task: twoValued } = twoValuedTask(scene, STEPPED);
  const features = twoValued.features.map(({ name }) => ({
    ...{ name, min: -1, max: 1, twoValued: false },
    grain: 'cell' as const,
  }));
  const task: Task = { ...twoValued, features, outputs: [...twoValued.outputs, 'mean'] };
  const cell = 2 ** -task.fractionBits;
  const grain = steps * cell;
  const rows = steppedRows(scene, drawnRows(scene, STEPPED.rows, draws.of('rows')), grain);
  const statistics = { ...pooledStatistics(task, [rows]), owners: BigInt(task.minimumOwners) };
  const population = populationOf(task, steppedRows(scene, scene.publicSample, grain));
  const noise = floorOf(task)!.deviation * (cell / GRAIN) ** 2;
  const unknowns = productsUnknown(
    {
      population,
      rows: rows.length,
      sums: features.map((_, i) => rows.reduce((sum, { values }) => sum + values[i]!, 0)),
    },
    { unit: grain ** 2 },
  );
  const result = await realResult({ task, statistics }, draws.of('floor'));
  const telling = tellingOfResult(unknowns, result, { task, statistics, rows }, noise);
  const unit = BigInt(steps) ** 2n;
  return scoreOf(
    readWhole(unknowns.expected, [telling]),
    statistics.R.map((value) => Number(value / unit)),
  );
}

const MANY: MatrixTask = { ...TASK, features: 20, components: 15 };
const EXACT_TASKS = 3;
const READ_ROWS = 2;

/** Returns whether a row has the label that the n-th exact task separates. */
const labelOf = ({ values, labels }: SceneRow, task: number) =>
  task < LABELS.length ? labels[LABELS[task]!]! : `${Number(values[0] === values[1])}`;

/** A task with the floor, and exact LDAs over the same rows, read one row of counts at a time. */
async function besideExactRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...MANY, releases: RELEASES }, draws);
  const released = clearResult(drawn, draws.of('floor'));
  const lda = drawnTask(
    scene,
    twoValuedTask(scene, { ...MANY, method: { kind: 'lda', ridge: 1 }, components: 1 }),
    MANY.rows,
    draws.of('rows'),
  );
  const exact = Array.from({ length: EXACT_TASKS }, (_, t) => {
    const rows = drawn.rows.map((row) => ({
      ...row,
      labels: { ...row.labels, [LABELS[0]]: labelOf(row, t) },
    }));
    const statistics = { ...pooledStatistics(lda.task, [rows]), owners: drawn.statistics.owners };
    return { task: lda.task, rows, statistics, result: releasedOf(lda.task, statistics) };
  });
  const truth = countsOf(drawn.rows);
  const scores = Array.from({ length: READ_ROWS }, (_, row) => {
    const unknowns = countsOfRow(knownOf(drawn), row);
    const tellings = [
      tellingOfResult(unknowns, released, drawn, undefined, row),
      ...exact.map(({ result, ...own }) => tellingOfResult(unknowns, result, own, 0, row)),
    ];
    return scoreOf(readWhole(unknowns.expected, tellings), truth[row]!.toSpliced(row, 1));
  });
  const average = (of: (own: Scored) => number) =>
    scores.reduce((sum, own) => sum + of(own), 0) / scores.length;
  return {
    attack: average(({ attack }) => attack),
    control: average(({ control }) => control),
    pointsLeft: average(({ pointsLeft }) => pointsLeft),
  };
}

const FIRST: MatrixTask = { ...TASK, components: 5, releases: RELEASES };
const SECOND = 3;

/** A task with the floor, and another over the rows that its vectors reduce, whose features say that a cell is their grain. */
async function chainRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, FIRST, draws);
  const first = await realResult(drawn, draws.of('floor'));
  const reach = Math.sqrt(FIRST.features);
  const proposal = TaskProposal.parse({
    ...{ method: { kind: 'pca' }, components: SECOND, outputs: ['sampleCount'], allowFullRank: true },
    features: first.vectors.map((_, c) => ({ name: `c${c}`, min: -reach, max: reach, grain: 'cell' })),
    ...{ minimumOwners: 2, maximumOwners: 2, maximumSamplesPerOwner: FIRST.rows },
    deadline: drawn.task.deadline,
  });
  const rows = scaledRows(drawn.task, drawn.rows).map((row, r) => ({
    ...drawn.rows[r]!,
    values: first.vectors.map((vector) => vector.reduce((sum, w, i) => sum + w * row[i]!, 0)),
  }));
  const task = agreed(proposal);
  const statistics = { ...pooledStatistics(task, [rows]), owners: drawn.statistics.owners };
  const second = clearResult({ task, statistics }, draws.of('second floor'));
  const unknowns = countsUnknown(knownOf(drawn));
  const cell = reach * 2 ** -task.fractionBits;
  const tellings = [
    tellingOfResult(unknowns, first, drawn),
    tellingOf(unknowns, chained(first, second, reach, cell * Math.sqrt(FIRST.rows)), 0),
  ];
  return scoreOf(readWhole(unknowns.expected, tellings), pairsOf(drawn));
}

/** Wᵀ S̄ W v = μ v for each vector v of the second task, in its units. */
function chained(
  { vectors: W }: Pick<FlatResult, 'vectors'>,
  second: Pick<FlatResult, 'vectors' | 'eigenvalues'>,
  reach: number,
  error: number,
): ScatterEquation[] {
  return second.vectors.flatMap((v, c) => {
    const turned = W[0]!.map((_, j) => v.reduce((sum, x, a) => sum + x * W[a]![j]!, 0));
    return W.map((w, a) => ({
      terms: w.flatMap((x, i) => turned.map((y, j) => ({ i, j, factor: x * y }))),
      right: second.eigenvalues[c]! * reach ** 2 * v[a]!,
      error,
    }));
  });
}

export const MISJUDGED: readonly Unworded[] = [
  leak('floor-scaled', WIDE, scaledRun, { terms: { scale: SCALE }, runs: RUNS }),
  ...STEPS.map((steps) =>
    leak(`floor-of-cells-${steps}`, STEPPED, (scene, draws) => steppedRun(scene, steps, draws), {
      terms: { steps },
    }),
  ),
  leak('floor-beside-exact', MANY, besideExactRun, {
    terms: { features: MANY.features, components: MANY.components, exact: EXACT_TASKS },
  }),
  leak('floor-chained', FIRST, chainRun, { terms: { second: SECOND } }),
];
