/** Floors that are too low, each in another way: what was averaged, what was rounded, and what copies of columns give away. */
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { computedFractionBits, floorOf } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { clearResult, FLOOR_DEVIATION, planted, RELEASES, realResult, withFloor } from './floor.ts';
import {
  countsOf,
  type Drawn,
  drawnOf,
  type MatrixTask,
  matrixRun,
  singlesOf,
  tellingOfResult,
} from './matrices.ts';
import { readWhole } from './reader.ts';
import { countsUnknown, GRAIN, productsUnknown } from './scatter.ts';
import { COMMON, found, notFound, type Scored, scoreOf } from './scoring.ts';
import { tooFewDivided } from './two-valued.ts';

const ROWS = 110;
/** Exact, for noise that is planted; so few features that it shows. */
export const TASK: MatrixTask = {
  method: { kind: 'pca' },
  twoParty: 'rotated',
  features: 7,
  components: 3,
  outputs: ['mean'],
  rows: ROWS,
  unknown: 'counts',
};

const LOW = 0.05;
const MANY = 64;
const COPIES = 4;

/** The equations that one task after the other tells, each with the floor of a single release. */
async function averagedRun(scene: Scene, releases: number, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...TASK, releases: 1 }, draws);
  const unknowns = countsUnknown(knownOf(drawn));
  const tellings = Array.from({ length: releases }, (__, r) =>
    tellingOfResult(unknowns, clearResult(drawn, draws.of(`floor ${r}`)), drawn),
  );
  return scoreOf(readWhole(unknowns.expected, tellings), pairsOf(drawn));
}

/** The number of rows and how many have each feature, as the mean tells them. */
export const knownOf = ({ rows, population }: Drawn) => ({
  population,
  rows: rows.length,
  singles: singlesOf(rows),
});

export const pairsOf = ({ rows }: Drawn) => countsOf(rows).flatMap((row, i) => row.slice(i + 1));

/** Little is open, so that more noise still shows it. */
export const WIDE: MatrixTask = { ...TASK, features: 9, components: 5 };

/** A task over a number of copies of each column, with the floor of a single release: noise on the copies' entries is averaged. */
async function copiedRun(scene: Scene, copies: number, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...WIDE, releases: 1 }, draws);
  const repeated = <T>(items: readonly T[]) => Array.from({ length: copies }, () => items).flat();
  const wide = {
    ...drawn.task,
    features: repeated(drawn.task.features).map((own, i) => ({ ...own, name: `held${i}` })),
  };
  const rows = drawn.rows.map((row) => ({ ...row, values: repeated(row.values) }));
  const statistics = { ...pooledStatistics(wide, [rows]), owners: drawn.statistics.owners };
  const result = withoutCopies(clearResult({ task: wide, statistics }, draws.of('floor')), copies);
  const unknowns = countsUnknown(knownOf(drawn));
  const telling = tellingOfResult(unknowns, result, drawn, floorOf(wide)!.deviation / copies);
  return scoreOf(readWhole(unknowns.expected, [telling]), pairsOf(drawn));
}

/** c S̄ v = λ v for sums v over c copies, up to what is left of the noise: a c-th. */
function withoutCopies({ vectors, eigenvalues }: FlatResult, copies: number): FlatResult {
  return {
    vectors: vectors.map((vector) => {
      const d = vector.length / copies;
      const sums = vector
        .slice(0, d)
        .map((_, i) => vector.reduce((sum, x, j) => sum + (j % d === i ? x : 0), 0));
      const length = Math.hypot(...sums);
      return sums.map((x) => x / length);
    }),
    eigenvalues: eigenvalues.map((value) => value / copies),
  };
}

/** Noise as large as the floor has about 2^21 units of this number of fraction bits: 2^(p − 12), p = 33 being the bits of what `rotated` releases of an exact task. */
const COARSE_BITS = 10;
const IN_UNITS: MatrixTask = { ...TASK, components: 5, fractionBits: COARSE_BITS };

/** All digits of R with noise, from the result over it. */
function digitsOf(drawn: Drawn, { R }: Statistics, result: FlatResult): Scored {
  const unknowns = productsUnknown(
    { ...knownOf(drawn), sums: singlesOf(drawn.rows).map((held) => GRAIN * held - IN_UNITS.rows) },
    // The square of −1 and 1 is 1.
    {
      unit: 4 ** -computedFractionBits(drawn.task),
      noise: FLOOR_DEVIATION * GRAIN ** 2,
      diagonal: IN_UNITS.rows,
    },
  );
  return scoreOf(readWhole(unknowns.expected, [tellingOfResult(unknowns, result, drawn, 0)]), R.map(Number));
}

async function coarseRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, IN_UNITS, draws);
  const computed = planted(drawn, FLOOR_DEVIATION, draws.of('noise'), COARSE_BITS);
  return digitsOf(drawn, computed.statistics, await realResult(computed, draws.of('floor')));
}

/** The same task with the floor as it is, for which servers compute in finer units. */
async function fineRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...IN_UNITS, releases: RELEASES }, draws);
  const result = await realResult(drawn, draws.of('floor'));
  return digitsOf(drawn, withFloor(drawn, draws.of('floor')), result);
}

const factsOf = ({ features, components, rows }: MatrixTask) => ({ features, components, rows });

const about = ({ features, rows }: MatrixTask) => ({
  ...COMMON,
  omits: (scene: Scene) => tooFewDivided(scene, features, rows),
});

/** The numbers of runs, where not every run finds all. */
export const RUNS = { quick: 45, full: 80 } as const;

interface Leak {
  readonly terms?: Unworded['terms'];
  readonly runs?: typeof RUNS;
}

export const leak = (id: string, task: MatrixTask, run: Run, { terms, runs }: Leak = {}): Unworded => ({
  ...about(task),
  id,
  terms: { ...COMMON.terms, ...terms },
  expectation: 'control',
  claims: ['S-718'],
  run: (setting) => found(setting, factsOf(task), (draws) => run(setting.scene, draws), { runs }),
});

type Run = (scene: Scene, draws: Draws) => Promise<Scored>;

export const PLANTED: readonly Unworded[] = [
  leak('low-floor', TASK, (scene, draws) => matrixRun(scene, TASK, draws, LOW), {
    terms: { low: LOW },
    runs: RUNS,
  }),
  leak('floor-averaged', TASK, (scene, draws) => averagedRun(scene, MANY, draws), {
    terms: { tasks: MANY },
    runs: RUNS,
  }),
  leak('floor-copies', WIDE, (scene, draws) => copiedRun(scene, COPIES, draws), {
    terms: { copies: COPIES },
    runs: RUNS,
  }),
  leak('floor-in-coarse-units', IN_UNITS, coarseRun),
  {
    ...about(IN_UNITS),
    id: 'floor-in-fine-units',
    expectation: 'holds',
    claims: ['S-703'],
    run: (setting) => notFound(setting, factsOf(IN_UNITS), (draws) => fineRun(setting.scene, draws)),
  },
];
