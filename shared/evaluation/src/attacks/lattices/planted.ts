/** Floors that are too low, each in another way: what was averaged, what was rounded, and what copies of columns give away. */
import type { Decomposition } from '@eigenveil/projection';
import type { Draws } from '../../draws.ts';
import type { Experiment, Setting } from '../../experiment.ts';
import { pooledStatistics, releasedOf } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { FLOOR_DEVIATION, floored } from './floor.ts';
import {
  countsOf,
  type Drawn,
  drawnOf,
  type MatrixTask,
  matrixRun,
  realResult,
  singlesOf,
  tellingOfResult,
} from './matrices.ts';
import { readWhole } from './reader.ts';
import { countsUnknown, GRAIN, productsUnknown } from './scatter.ts';
import { COMMON, found, KNOWS, notFound, type Scored, scoreOf } from './scoring.ts';
import { tooFewDivided } from './two-valued.ts';

const ROWS = 110;
/** With consent, so that what is planted shows in few features. */
export const TASK: MatrixTask = {
  method: { kind: 'pca' },
  twoParty: 'rotated',
  features: 7,
  components: 3,
  outputs: ['mean'],
  allowFullRank: true,
  rows: ROWS,
  unknown: 'counts',
};

const LOW = 0.05;
const RELEASES = 64;
const COPIES = 4;
/** Of the noise on each of many releases, or on each of all entries of copies. */
const ONE_RELEASE = 0.5;

/** What the releases of one task after the other tell, each with noise of its own. */
async function averagedRun(scene: Scene, releases: number, noise: number, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, TASK, draws);
  const unknowns = countsUnknown(knownOf(drawn));
  const tellings = Array.from({ length: releases }, (__, r) => {
    const { task, statistics } = floored(drawn.task, drawn.statistics, noise, draws.of(`noise ${r}`));
    return tellingOfResult(unknowns, releasedOf(task, statistics), { ...drawn, task }, noise);
  });
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

/** A task over so many copies of each column, with the floor: noise on the copies' entries is averaged. */
async function copiedRun(scene: Scene, copies: number, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, WIDE, draws);
  const repeated = <T>(items: readonly T[]) => Array.from({ length: copies }, () => items).flat();
  const wide = {
    ...drawn.task,
    features: repeated(drawn.task.features).map((own, i) => ({ ...own, name: `held${i}` })),
  };
  const rows = drawn.rows.map((row) => ({ ...row, values: repeated(row.values) }));
  const statistics = { ...pooledStatistics(wide, [rows]), owners: drawn.statistics.owners };
  const computed = floored(wide, statistics, ONE_RELEASE, draws.of('noise'));
  const result = withoutCopies(releasedOf(computed.task, computed.statistics), copies);
  const unknowns = countsUnknown(knownOf(drawn));
  const telling = tellingOfResult(unknowns, result, drawn, ONE_RELEASE / copies);
  return scoreOf(readWhole(unknowns.expected, [telling]), pairsOf(drawn));
}

/** c S̄ v = λ v for sums v over c copies, but for what is left of the noise: a c-th. */
function withoutCopies({ vectors, eigenvalues }: Decomposition, copies: number): Decomposition {
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

/** Fraction bits with which the floor has about 2^(p − 12) and 2^p units, p = 33 being the bits of what `rotated` releases. */
const COARSE_BITS = 10;
const FINE_BITS = 16;
const IN_UNITS: MatrixTask = { ...TASK, components: 5 };

/** All digits of R with noise that is rounded to units. */
async function unitsRun(scene: Scene, fractionBits: number, draws: Draws): Promise<Scored> {
  const drawn = drawnOf(scene, { ...IN_UNITS, fractionBits }, draws);
  const computed = floored(drawn.task, drawn.statistics, FLOOR_DEVIATION, draws.of('noise'), {
    fractionBits,
    sums: 0,
  });
  const unknowns = productsUnknown(
    { ...knownOf(drawn), sums: singlesOf(drawn.rows).map((held) => GRAIN * held - IN_UNITS.rows) },
    // The square of −1 and 1 is 1.
    { unit: 4 ** -fractionBits, noise: FLOOR_DEVIATION * GRAIN ** 2, diagonal: IN_UNITS.rows },
  );
  const telling = tellingOfResult(unknowns, await realResult(computed), drawn, 0);
  return scoreOf(readWhole(unknowns.expected, [telling]), computed.statistics.R.map(Number));
}

const factsOf = ({ features, components, rows }: MatrixTask) => ({ features, components, rows });

const about = ({ features, rows }: MatrixTask) => ({
  ...COMMON,
  knows: KNOWS,
  omits: (scene: Scene) => tooFewDivided(scene, features, rows),
});

/** Where not every run finds all. */
export const RUNS = { quick: 45, full: 80 } as const;

export const leak = (
  task: MatrixTask,
  own: Pick<Experiment, 'id' | 'title' | 'sees'>,
  run: Run,
  runs?: typeof RUNS,
): Experiment => ({
  ...about(task),
  ...own,
  expectation: 'control',
  claims: ['S-718'],
  run: (setting) => found(setting, factsOf(task), (draws) => run(setting, draws), { runs }),
});

type Run = (setting: Setting, draws: Draws) => Promise<Scored>;

export const PLANTED: readonly Experiment[] = [
  leak(
    TASK,
    {
      id: 'low-floor',
      title: `The scatter matrix of two-valued features in whole numbers, from a PCA with a floor of ${LOW} by lattice reduction`,
      sees: `the result by \`rotated\` with dealt products, over statistics with noise of ${LOW} products of grains`,
    },
    ({ scene }, draws) => matrixRun(scene, TASK, LOW, draws),
    RUNS,
  ),
  leak(
    TASK,
    {
      id: 'floor-averaged',
      title: `The same from ${RELEASES} tasks over the same rows, each with a floor for one`,
      sees: `${RELEASES} results of PCAs, each with noise of ${ONE_RELEASE} products of grains of its own`,
    },
    ({ scene }, draws) => averagedRun(scene, RELEASES, ONE_RELEASE, draws),
    RUNS,
  ),
  leak(
    WIDE,
    {
      id: 'floor-copies',
      title: `The same from a task with ${COPIES} copies of each column and a floor`,
      sees: `the result of a PCA with noise of ${ONE_RELEASE} products of grains on each pair of copies`,
    },
    ({ scene }, draws) => copiedRun(scene, COPIES, draws),
    RUNS,
  ),
  leak(
    IN_UNITS,
    {
      id: 'floor-in-coarse-units',
      title: 'All digits of the scatter matrix with its floor, which is rounded to too coarse units',
      sees: `the result by \`rotated\` with dealt products, over statistics with noise of ${FLOOR_DEVIATION.toFixed(2)} products of grains, which is 2^21 units`,
    },
    ({ scene }, draws) => unitsRun(scene, COARSE_BITS, draws),
  ),
  {
    ...about(IN_UNITS),
    id: 'floor-in-fine-units',
    title: 'All digits of the scatter matrix with its floor, which is rounded to fine units',
    expectation: 'holds',
    claims: ['S-703'],
    sees: `the result by \`rotated\` with dealt products, over statistics with noise of ${FLOOR_DEVIATION.toFixed(2)} products of grains, which is 2^33 units`,
    run: (setting) =>
      notFound(setting, factsOf(IN_UNITS), (draws) => unitsRun(setting.scene, FINE_BITS, draws)),
  },
];
