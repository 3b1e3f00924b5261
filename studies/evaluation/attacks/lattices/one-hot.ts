/** One-hot groups whose public dependence is not seen behind noise: a rank that is counted as full lets so many components pass that all cross counts are told, up to the noise. */
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { clearResult, FLOOR, RELEASES } from './floor.ts';
import { drawnTask, type MatrixTask, tellingOfResult } from './matrices.ts';
import { knownOf, pairsOf, RUNS, TASK } from './planted.ts';
import { type Equation, readWhole, type Telling } from './reader.ts';
import { countsUnknown, type Unknowns } from './scatter.ts';
import { COMMON, found, type Scored } from './scoring.ts';
import { type TwoValued, tooFewDivided, twoValuedTask } from './two-valued.ts';

/** Categories of each group. Their rank together is less by one each. */
const GROUPS = [5, 4] as const;
const FEATURES = 9;
const COMPONENTS = FEATURES - GROUPS.length;
const ONE_HOT: MatrixTask = { ...TASK, features: FEATURES, components: COMPONENTS, releases: RELEASES };
/** An estimate is right if it is within this number of rows. */
const NEAR = 1;

const groupOf = (feature: number) => Number(feature >= GROUPS[0]);

/** The first features whose parts of the public sample all have rows, and where these parts end. */
function divided({ proposal, publicSample }: Scene) {
  const features = proposal.features.flatMap((_, feature) => {
    const sorted = publicSample.map(({ values }) => values[feature]!).toSorted((a, b) => a - b);
    const boundsOf = (size: number) =>
      Array.from({ length: size - 1 }, (__, i) => sorted[Math.floor(((i + 1) * sorted.length) / size)]!);
    const distinct = new Set([sorted[0], ...boundsOf(GROUPS[0])]).size;
    return distinct === GROUPS[0] ? [{ feature, boundsOf }] : [];
  });
  return features.slice(0, GROUPS.length);
}

function oneHotTask(scene: Scene): TwoValued {
  const { task } = twoValuedTask(scene, ONE_HOT);
  const chosen = divided(scene);
  const groups = GROUPS.map((size, g) => {
    const { feature, boundsOf } = chosen[g]!;
    return { feature, size, bounds: boundsOf(size) };
  });
  const rowsOf: TwoValued['rowsOf'] = (rows) =>
    rows.map((row) => ({
      ...row,
      values: groups.flatMap(({ feature, size, bounds }) => {
        const own = bounds.filter((bound) => row.values[feature]! >= bound).length;
        return Array.from({ length: size }, (_, i) => Number(i === own));
      }),
    }));
  return { task, rowsOf };
}

/** No row has two categories of a group, and each row has one. */
function dependences({ entry }: Unknowns, singles: readonly number[]): Telling {
  const place = (i: number, j: number) => entry(Math.min(i, j), Math.max(i, j)).unknown!.place;
  const equation = (places: readonly number[], right: number): Equation => ({
    whole: new Map(places.map((own) => [own, 1])),
    real: new Map(),
    right,
    deviation: SURE,
  });
  const equations = singles.flatMap((single, i) => {
    const others = singles.flatMap((_, j) => (j === i ? [] : [j]));
    const [within, across] = [0, 1].map((apart) =>
      others.filter((j) => Number(groupOf(i) !== groupOf(j)) === apart).map((j) => place(i, j)),
    );
    return [...within!.map((own) => equation([own], 0)), equation(across!, single)];
  });
  return { equations, reals: [] };
}

/** The error of counts. */
const SURE = 2 ** -10;

async function oneHotRun(scene: Scene, draws: Draws): Promise<Scored> {
  const drawn = drawnTask(scene, oneHotTask(scene), ONE_HOT.rows, draws.of('rows'));
  const known = knownOf(drawn);
  const unknowns = countsUnknown(known);
  const dependence = dependences(unknowns, known.singles);
  const told = tellingOfResult(unknowns, clearResult(drawn, draws.of('floor')), drawn);
  const truth = pairsOf(drawn);
  const across = known.singles.flatMap((_, i) =>
    known.singles.slice(i + 1).map((__, j) => groupOf(i) !== groupOf(i + 1 + j)),
  );
  const near = (estimate: readonly number[]) => {
    const right = truth.filter((count, place) => across[place] && Math.abs(estimate[place]! - count) < NEAR);
    return right.length / across.filter(Boolean).length;
  };
  const [after, before] = [
    readWhole(unknowns.expected, [dependence, told]),
    readWhole(unknowns.expected, [dependence]),
  ];
  return { attack: near(after.real), control: near(before.real), pointsLeft: after.pointsLeft };
}

export const ONE_HOTS: readonly Unworded[] = [
  {
    ...COMMON,
    id: 'floor-one-hot',
    terms: { floor: FLOOR, near: NEAR, components: COMPONENTS, features: FEATURES },
    expectation: 'control',
    claims: ['S-718'],
    omits: (scene) =>
      divided(scene).length < GROUPS.length
        ? 'fewer than two features of many values'
        : tooFewDivided(scene, FEATURES, ONE_HOT.rows),
    run: (setting) =>
      found(
        setting,
        { features: FEATURES, components: COMPONENTS, rows: ONE_HOT.rows },
        (draws) => oneHotRun(setting.scene, draws),
        { runs: RUNS, byPart: true },
      ),
  },
];
