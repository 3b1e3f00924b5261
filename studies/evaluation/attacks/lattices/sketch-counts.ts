/** Whole numbers behind a sketch: how many rows have two features together, for all pairs jointly, from what a result tells of the products of columns with vectors. */
import { type FlatResult, SKETCH_OUTPUTS } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import { type Statistics, sketchMatrix, sketchNoise } from '@eigenveil/statistics';
import { floorOf, type Task } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { dealtResult } from '../in-process/dealt.ts';
import { share } from '../in-process/two-party.ts';
import { populationOf } from '../tasks/population.ts';
import { RELEASES } from './floor.ts';
import { countsOf, singlesOf } from './matrices.ts';
import { readWhole, type Telling } from './reader.ts';
import { countsUnknown, GRAIN, type ScatterEquation, tellingOf, type Unknowns } from './scatter.ts';
import { COMMON, found, notFound, type Scored, scoreOf } from './scoring.ts';
import { drawnRows, tooFewDivided, twoValuedTask } from './two-valued.ts';

interface Shape {
  readonly features: number;
  readonly columns: number;
  readonly components: number;
  readonly rows: number;
}

/** So many columns and components that most of the scatter matrix follows from real numbers, too: whatever noise leaves open shows. */
const SHAPE: Shape = { features: 10, columns: 9, components: 7, rows: 110 };
/** With fewer components more of it is open: whole numbers alone tell it, exact ones, and some with little noise. */
const FEW: Shape = { ...SHAPE, components: 3 };
const SOME: Shape = { ...SHAPE, components: 5 };

/** On the scatter matrix, as the floor is, or on each entry of the sketch by itself. */
interface Planted {
  readonly on: 'scatter' | 'entries';
  /** The deviation in products of grains. */
  readonly deviation: number;
}

interface Drawn {
  readonly task: Task;
  readonly signs: Int32Array;
  readonly statistics: Statistics;
  readonly unknowns: Unknowns;
  readonly truth: readonly number[];
}

function drawnOf(scene: Scene, shape: Shape, draws: Draws, releases?: number): Drawn {
  const { features, columns, components, rows: count } = shape;
  const { task: whole, rowsOf } = twoValuedTask(scene, {
    ...{ method: { kind: 'pca' }, twoParty: 'rotated', features, components, outputs: ['mean'] },
    ...(releases !== undefined && { releases }),
  });
  const task: Task = {
    ...whole,
    features: whole.features.map((feature) => ({ ...feature, twoValued: false })),
    outputs: [...SKETCH_OUTPUTS],
    sketch: { columns },
  };
  const signs = independentSigns(task, draws.of('signs'));
  const rows = rowsOf(drawnRows(scene, count, draws.of('rows')));
  const population = populationOf(task, rowsOf(scene.publicSample));
  return {
    ...{ task, signs },
    statistics: { ...pooledStatistics(task, [rows], signs), owners: BigInt(task.minimumOwners) },
    unknowns: countsUnknown({ population, rows: count, singles: singlesOf(rows) }),
    truth: countsOf(rows).flatMap((row, i) => row.slice(i + 1)),
  };
}

/** Drawn signs of few features by nearly as many columns make dependent columns now and then, which a task is refused for. */
function independentSigns(task: Task, draws: Draws): Int32Array {
  const l = task.sketch!.columns;
  for (let attempt = 0; ; attempt += 1) {
    const signs = sketchMatrix(draws.of(attempt).source(32), task);
    const product = (a: number, b: number) =>
      task.features.reduce((sum, _, i) => sum + signs[i * l + a]! * signs[i * l + b]!, 0);
    const gram = Array.from({ length: l }, (_, a) => Array.from({ length: l }, (__, b) => product(a, b)));
    if (symmetricEigen(gram).values.at(-1)! > LEAST_SQUARE) return signs;
  }
}

const LEAST_SQUARE = 0.01;

function planted({ task, signs, statistics }: Drawn, { on, deviation }: Planted, draws: Draws): Statistics {
  const columns = task.sketch!.columns;
  const unit = GRAIN * 2 ** task.fractionBits;
  const scales = task.features.map(() => Math.sqrt(deviation) * unit);
  const noise =
    on === 'scatter'
      ? sketchNoise({ signs, columns, scales }, draws.source)
      : statistics.Y!.map(() => BigInt(Math.round(draws.normal() * deviation * unit ** 2)));
  return { ...statistics, Y: statistics.Y!.map((value, place) => value + noise[place]!) };
}

/** Draws rows, runs the real protocol, and reads its result. Of a floor the CSP's part alone is in it: the attacker knows the data user's. */
async function sketchRun(
  scene: Scene,
  shape: Shape,
  draws: Draws,
  asked: Planted | number | undefined,
): Promise<Scored> {
  const releases = typeof asked === 'number' ? asked : undefined;
  const low = typeof asked === 'object' ? asked : undefined;
  const drawn = drawnOf(scene, shape, draws, releases);
  const { task, signs, unknowns, truth } = drawn;
  const statistics = low ? planted(drawn, low, draws.of('noise')) : drawn.statistics;
  const result = await dealtResult(
    task,
    statistics,
    signs,
    share(task, statistics, draws.of('floor').source, signs),
  );
  const floor = floorOf(task);
  const noise: Planted = low ?? { on: 'scatter', deviation: floor?.deviation ?? 0 };
  const cut = floor ? 2 ** -floor.released.scatter / Math.sqrt(12) : 0;
  return scoreOf(
    readWhole(unknowns.expected, [tellingOfSketch(unknowns, result, signs, { noise, cut })]),
    truth,
  );
}

/** Equations are right to this number of bits of the largest eigenvalue and a column's length, above the flood on vectors. */
const ERROR_BITS = 14;

/**
 * u_jᵀ S̄ ω_a = λ_j u_jᵀ ω_a, for each vector and column.
 * @param cut deviation of what was cut off an eigenvalue
 */
function tellingOfSketch(
  unknowns: Unknowns,
  { vectors, eigenvalues }: FlatResult,
  signs: Int32Array,
  { noise, cut }: { readonly noise: Planted; readonly cut: number },
): Telling {
  const d = vectors[0]!.length;
  const l = signs.length / d;
  const error = eigenvalues[0]! * Math.sqrt(d) * 2 ** -ERROR_BITS;
  const equations = vectors.flatMap((u, j) =>
    Array.from({ length: l }, (_, a): ScatterEquation => {
      const product = u.reduce((sum, x, i) => sum + x * signs[i * l + a]!, 0);
      return {
        terms: u.flatMap((x, i) => u.map((__, m) => ({ i, j: m, factor: x * signs[m * l + a]! }))),
        right: eigenvalues[j]! * product,
        error,
        ...(cut > 0 && { cut: { component: j, factor: -product, deviation: cut } }),
      };
    }),
  );
  if (noise.on === 'scatter') return tellingOf(unknowns, equations, noise.deviation);
  const { equations: told } = tellingOf(unknowns, equations, 0);
  return {
    reals: new Array<number>(d * l).fill(noise.deviation * GRAIN ** 2),
    equations: told.map((equation, e) => ({
      ...equation,
      real: new Map(vectors[Math.floor(e / l)]!.map((x, i) => [i * l + (e % l), x])),
    })),
  };
}

const LOW = 0.05;
const ON_ENTRIES = 0.1;

const about = ({ features, rows }: Shape) => ({
  ...COMMON,
  claims: ['S-718', 'S-724'] as const,
  omits: (scene: Scene) => tooFewDivided(scene, features, rows),
});

const leak = (id: string, shape: Shape, asked?: Planted): Unworded => ({
  ...about(shape),
  id,
  ...(asked && { terms: { low: asked.deviation } }),
  expectation: 'control',
  run: (setting) => found(setting, { ...shape }, (draws) => sketchRun(setting.scene, shape, draws, asked)),
});

export const SKETCH_COUNTS: readonly Unworded[] = [
  leak('sketch-counts', FEW),
  leak('sketch-counts-low-floor', SOME, { on: 'scatter', deviation: LOW }),
  leak('sketch-counts-on-entries', SOME, { on: 'entries', deviation: ON_ENTRIES }),
  ...[FEW, SHAPE].map(
    (shape): Unworded => ({
      ...about(shape),
      id: `sketch-counts-floored-${shape.components}`,
      terms: { ...COMMON.terms, components: shape.components },
      expectation: 'holds',
      claims: ['S-703', 'S-712', 'S-724'],
      run: (setting) =>
        notFound(setting, { ...shape }, (draws) => sketchRun(setting.scene, shape, draws, RELEASES)),
    }),
  ),
];
