/** The columns that a reader of a sketch's result finds, of a plain sketch and of one that refines an earlier result; and what it found before answers were flooded. */
import { type FlatResult, SKETCH_OUTPUTS } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import { type Statistics, sketchMatrix } from '@eigenveil/statistics';
import { programOf, type Task, TaskProposal } from '@eigenveil/task';
import { type SketchParameters, sketchParameters } from '@eigenveil/two-party/insides';
import { Matrix, solve } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { dealtResult } from '../in-process/dealt.ts';
import { exactly } from '../in-process/exact.ts';
import { agreed } from '../in-process/small-task.ts';
import { columnsOf, realColumns, type Sketch } from './columns.ts';

const FEATURES = 30;
interface Shape {
  readonly columns: number;
  readonly components: number;
  /** The number of the earlier result's components that are refined. */
  readonly refined: number;
}
const PLAIN: Shape = { columns: 8, components: 6, refined: 0 };
const REFINED: Shape = { columns: 13, components: 11, refined: 3 };
const RUNS = { quick: 12, full: 20 } as const;
/** The most rows of an owner. Where there is room for far more rows than come, numbers are small, and few vectors tell them. */
const MANY_ROWS = 2 ** 14;
/** Entries are kept in units, rounded by both servers. */
const RIGHT = 1.5;

/** A number that stands for a digest. */
const DIGEST = 'A'.repeat(43);

interface Asked {
  readonly columns: number;
  readonly components: number;
  readonly refines: boolean;
  readonly manyRows: boolean;
}

function sketchTask({ proposal }: Scene, { columns, components, refines, manyRows }: Asked): Task {
  return agreed(
    TaskProposal.parse({
      ...proposal,
      features: varyingOf(proposal)
        .slice(0, FEATURES)
        .map(({ place }) => ({ ...proposal.features[place]!, twoValued: false })),
      ...{ method: { kind: 'pca' }, labellings: [], twoParty: 'rotated', outputs: [...SKETCH_OUTPUTS] },
      sketch: { columns, ...(refines && { refine: DIGEST }) },
      components,
      ...(manyRows && { maximumSamplesPerOwner: MANY_ROWS }),
    }),
  );
}

const varyingOf = ({ features }: Pick<TaskProposal, 'features'>) =>
  features.flatMap(({ min, max }, place) => (min < max ? [{ place }] : []));

interface Released {
  readonly result: FlatResult;
  readonly sketch: Sketch;
  readonly parameters: SketchParameters;
  /** The columns as they are, not rounded, in units of what is kept. */
  readonly truth: readonly (readonly number[])[];
}

function columnsBehind(
  { Y, labellings }: Statistics,
  { signs, columns: l }: Sketch,
  unit: number,
): number[][] {
  const { V, M } = labellings[0]![0]!;
  return Array.from({ length: l }, (_, a) => {
    const sum = V.reduce((total, v, i) => total + v * BigInt(signs[i * l + a]!), 0n);
    return V.map((v, i) => Number(M * Y![i * l + a]! - v * sum) / Number(M) / unit);
  });
}

/** A result of the real protocol over most of the members. */
async function released(
  { scene }: Setting,
  draws: Draws,
  { columns, components, refined }: Shape,
  manyRows: boolean,
): Promise<Released> {
  const members = scene.owners.flat();
  const places = varyingOf(scene.proposal).slice(0, FEATURES);
  const rows = draws
    .some(members, Math.ceil(0.8 * members.length))
    .map((row) => ({ ...row, values: places.map(({ place }) => row.values[place]!) }));
  const of = async (count: number, vectors: readonly (readonly number[])[]) => {
    const task = sketchTask(scene, { columns, components: count, refines: vectors.length > 0, manyRows });
    const signs = sketchMatrix(draws.source(32), task, vectors);
    const parameters = sketchParameters(task, programOf(task));
    const { fineCut } = parameters;
    const sketch = { signs, columns, unit: 4 ** task.fractionBits / 2 ** fineCut };
    const statistics = { ...pooledStatistics(task, [rows], signs), owners: BigInt(task.minimumOwners) };
    const result = await dealtResult(task, statistics, signs);
    return { result, sketch, parameters, truth: columnsBehind(statistics, sketch, 2 ** fineCut) };
  };
  const first = refined > 0 ? (await of(refined, [])).result.vectors : [];
  return of(components, first);
}

/** The number of columns that are right in every entry. */
function rightOf(columns: readonly (readonly (number | bigint)[])[], { truth }: Released): number {
  return columns.filter((column, a) =>
    column.every((entry, i) => Math.abs(Number(entry) - truth[a]![i]!) < RIGHT),
  ).length;
}

const COEFFICIENT_BITS = 30;

/** Reads vectors as they were opened before each entry had a flood: combinations of what the core is computed with, in whole numbers. */
function combined({ result, truth: fine, sketch, parameters }: Released): Released {
  const unit = 2 ** (parameters.cut - parameters.fineCut);
  const truth = fine.map((column) => column.map((entry) => entry / unit));
  const kept = new Matrix(truth.map((column) => column.map(Math.round))).transpose();
  const vectors = result.vectors.map((vector) => {
    const coefficients = solve(kept, Matrix.columnVector(vector), true);
    const whole = Matrix.round(coefficients.mul(2 ** COEFFICIENT_BITS / coefficients.norm()));
    const combined = kept.mmul(whole);
    return combined.div(combined.norm()).to1DArray();
  });
  return {
    ...{ result: { ...result, vectors }, parameters, truth },
    sketch: { ...sketch, unit: sketch.unit / unit },
  };
}

/**
 * Fraction bits to which entries of a released vector are right: the length with which it was opened, over the flood. The data user knows it from both
 * spectra: √(λ λ_min) for the least eigenvalue λ_min of the core.
 */
function worthOf({ result, sketch, parameters, truth }: Released): (vector: number) => number {
  const { signs, columns: l, unit } = sketch;
  const core = truth.map((column) =>
    truth.map((_, b) => column.reduce((sum, entry, i) => sum + entry * signs[i * l + b]!, 0)),
  );
  const { values } = symmetricEigen(core.map((row, a) => row.map((entry, b) => (entry + core[b]![a]!) / 2)));
  const floodBits = parameters.floodBits - parameters.coefficientBits;
  return (j) => Math.round(Math.log2(values.at(-1)! * unit * result.eigenvalues[j]!) / 2 - floodBits);
}

/** As many columns as the reader finds that takes the entries for as right as they are, or as doubles are. */
function foundIn(own: Released): number {
  const { result, sketch } = own;
  const attempts = [columnsOf(result, sketch), columnsOf(result, sketch, worthOf(own))];
  return Math.max(...attempts.map((columns) => rightOf(columns, own)));
}

/** Every other one of a task with room for many rows, where that is asked for. */
async function* runs(setting: Setting, shape: Shape, withRoom: boolean): AsyncGenerator<Released> {
  const draws = new Draws(setting.seed).of('rows');
  for (let run = 0; run < RUNS[setting.effort]; run += 1)
    yield await released(setting, draws.of(run), shape, withRoom && run % 2 === 1);
}

const COMMON = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'pooled statistics',
  claims: ['S-615'],
  unit: 'run',
  scenes: ['ionosphere'],
  omits: ({ proposal }: Scene) =>
    varyingOf(proposal).length < FEATURES ? `fewer than ${FEATURES} features that vary` : undefined,
} as const satisfies Partial<Unworded>;

/** The attack on results of the real protocol. */
const holding = (id: string, shape: Shape): Unworded => ({
  ...COMMON,
  id,
  expectation: 'holds',
  run: async (setting) => {
    const found: number[] = [];
    for await (const own of runs(setting, shape, true)) found.push(foundIn(own));
    return exactly(
      found.map((count) => count > 0),
      'a column that comes out',
      { facts: { features: FEATURES, ...shape } },
    );
  },
});

/** The attack on the same results, had nothing been added to what is opened. */
const unflooded = (id: string, shape: Shape): Unworded => ({
  ...COMMON,
  id,
  expectation: 'control',
  run: async (setting) => {
    const attack: number[] = [];
    const control: number[] = [];
    for await (const flooded of runs(setting, shape, false)) {
      const own = combined(flooded);
      attack.push(rightOf(columnsOf(own.result, own.sketch), own) / shape.columns);
      control.push(rightOf(realColumns(own.result, own.sketch), own) / shape.columns);
    }
    return { kind: 'trials', attack, control, baseline: 0, facts: { features: FEATURES, ...shape } };
  },
});

export const SKETCHES: readonly Unworded[] = [
  holding('sketch-columns', PLAIN),
  holding('sketch-columns-refined', REFINED),
  unflooded('sketch-columns-unflooded', PLAIN),
  unflooded('sketch-columns-refined-unflooded', REFINED),
];
