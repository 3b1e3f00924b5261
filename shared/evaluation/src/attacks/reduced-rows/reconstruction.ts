/** Reconstruction of rows from reduced rows, by the share of features that come back. */
import type { Block, Line } from '@eigenveil/report/document';
import { DifferentialPrivacy } from '@eigenveil/task';
import { Draws } from '../../draws.ts';
import type { Experiment, Outcome, Setting } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import {
  blindGuess,
  type Inverse,
  learnedInverse,
  linearInverse,
  type People,
  pseudoInverse,
  type Row,
} from './inverses.ts';
import {
  average,
  bookReduction,
  byPerson,
  chartName,
  directionsOf,
  firstOf,
  LEAST_MEMBERS,
  LEAST_PEOPLE,
  type Limits,
  meanOf,
  methodReduction,
  type Reduction,
  randomReduction,
  reductionOf,
  somePeople,
} from './reductions.ts';

/** An estimate is right that is off by no more than this share of what the feature spans in the public sample. Fixed before any attack ran. */
const TOLERANCE = 0.05;
/** Nearly raw: so large a share of features comes back. */
const NEARLY_RAW = 0.9;
const LIMITS: Readonly<Record<Setting['effort'], Limits>> = {
  quick: { people: 60, rows: 5 },
  full: { people: 400, rows: 20 },
};

/** What the attacker has, and by what its estimates are judged. Features on [−1, 1]. */
export interface Target {
  readonly scene: Scene;
  /** By person. */
  readonly members: readonly (readonly SceneRow[])[];
  readonly outsiders: readonly (readonly SceneRow[])[];
  readonly sample: readonly (readonly SceneRow[])[];
  readonly tolerances: Row;
  /** Of features that vary in the public sample: the others are left out. */
  readonly deviations: ReadonlyMap<number, number>;
  readonly mean: Row;
}

export type Attack = (reduction: Reduction, target: Target) => Inverse;

export const ATTACKS = {
  'pseudo-inverse': ({ projection }) => pseudoInverse(projection),
  linear: (reduction, target) => linearInverse(reduction.projection, examples(reduction, target)),
  learned: (reduction, target) =>
    learnedInverse(reduction.projection, examples(reduction, target), target.tolerances),
} as const satisfies Record<string, Attack>;

function examples(reduction: Reduction, { scene, sample }: Target): People {
  return sample.map((own) => {
    const rows = scaledRows(scene.proposal, own);
    return reduction.reduce(own).map((input, i) => ({ input, output: rows[i]! }));
  });
}

export function targetOf({ scene, effort }: Pick<Setting, 'scene' | 'effort'>, draws: Draws): Target {
  const sample = byPerson(scene.publicSample);
  const rows = scaledRows(scene.proposal, scene.publicSample);
  const mean = meanOf(rows);
  const columns = mean.map((_, f) => rows.map((row) => row[f]!));
  const spans = columns.map((column) => Math.max(...column) - Math.min(...column));
  const deviation = (f: number) =>
    Math.sqrt(columns[f]!.reduce((sum, value) => sum + (value - mean[f]!) ** 2, 0) / rows.length);
  return {
    scene,
    members: somePeople(scene.owners.flat(), LIMITS[effort], draws.of('members')),
    outsiders: somePeople(scene.outsiders, LIMITS[effort], draws.of('outsiders')),
    sample,
    tolerances: spans.map((span) => TOLERANCE * span),
    deviations: new Map(spans.flatMap((span, f) => (span > 0 ? [[f, deviation(f)] as const] : []))),
    mean,
  };
}

/** Of each person, the mean over rows of the share of features that are right. */
function successes(target: Target, people: Target['members'], estimates: readonly Row[]): number[] {
  const { scene, tolerances, deviations } = target;
  const features = [...deviations.keys()];
  let next = 0;
  return people.map((own) => {
    const shares = scaledRows(scene.proposal, own).map((row) => {
      const said = estimates[next++]!;
      return features.filter((f) => Math.abs(said[f]! - row[f]!) <= tolerances[f]!).length / features.length;
    });
    return average(shares);
  });
}

/** 1 less the squared error over that of guessing the public mean: over all features in standard units, and by feature. */
function variance(target: Target, rows: readonly Row[], estimates: readonly Row[]) {
  const squares = [...target.deviations].map(([f, unit]) => {
    const of = (said: (i: number) => number) =>
      rows.reduce((sum, row, i) => sum + ((row[f]! - said(i)) / unit) ** 2, 0);
    return { attack: of((i) => estimates[i]![f]!), guess: of(() => target.mean[f]!) };
  });
  const total = (part: 'attack' | 'guess') => squares.reduce((sum, one) => sum + one[part], 0);
  return {
    share: 1 - total('attack') / total('guess'),
    nearlyWhole: squares.filter(({ attack, guess }) => attack <= 0.1 * guess).length,
  };
}

/** Mean success of the attack on these people's rows, reduced so. */
function attacked(attack: Attack, reduction: Reduction, target: Target, people: Target['members']) {
  const estimates = attack(reduction, target)(reduction.reduce(people.flat()));
  return { estimates, successes: successes(target, people, estimates) };
}

/** Guesses that see no reduced row, of these people. */
function guessed(target: Target, people: Target['members'], guess: Row): number[] {
  return successes(
    target,
    people,
    people.flat().map(() => guess),
  );
}

/** Of charts: a learned inverse of more takes minutes. */
const MOST_COMPONENTS = 100;

/** Numbers of components over which charts go. */
function componentsOf(d: number, own: number, effort: Setting['effort']): number[] {
  const shares = effort === 'full' ? [1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4] : [];
  const wanted = [1, ...shares.map((share) => Math.max(1, Math.round(share * d))), d];
  const drawn = wanted.filter((k) => k <= MOST_COMPONENTS);
  return [...new Set([...drawn, own])].sort((a, b) => a - b);
}

function reductionsOf({ scene, effort }: Setting, draws: Draws): readonly Reduction[] {
  const d = scene.proposal.features.length;
  const pca = methodReduction(scene, { method: 'pca', components: d }, draws);
  const random = randomReduction(scene, d, draws.of('random'));
  const components = directionsOf(scene, scene.utilityLabel);
  if (effort === 'quick' || components < 1) return [pca, random];
  return [
    pca,
    bookReduction(scene, d, draws),
    methodReduction(scene, { method: 'lda', components }, draws),
    ...(scene.privateLabel === undefined
      ? []
      : [methodReduction(scene, { method: 'mdr', components }, draws)]),
    random,
  ];
}

function run(id: string, attack: Attack) {
  return async (setting: Setting): Promise<Outcome> => {
    const { scene, effort, seed, note } = setting;
    const draws = new Draws(seed);
    const target = targetOf(setting, draws);
    const d = scene.proposal.features.length;
    const blind = blindGuess(scaledRows(scene.proposal, scene.publicSample), target.tolerances);
    note('the scene’s own task');
    const own = reductionOf(scene, scene.proposal, draws.of('noise'));
    const k = own.projection.vectors.length;
    const main = attacked(attack, own, target, target.members);
    const control = guessed(target, target.outsiders, blind);
    const { share, nearlyWhole } = variance(
      target,
      scaledRows(scene.proposal, target.members.flat()),
      main.estimates,
    );
    const lines = reductionsOf(setting, draws).map((reduction): Line => {
      note(`reduced by ${reduction.name}`);
      const { length } = reduction.projection.vectors;
      const points = componentsOf(d, k, effort)
        .filter((components) => components <= length)
        .map((components) => ({
          x: components,
          y: average(attacked(attack, firstOf(reduction, components), target, target.members).successes),
        }));
      return { name: reduction.name, points, style: points.length > 1 ? 'solid' : 'points' };
    });
    const guess = average(guessed(target, target.members, target.mean));
    return {
      kind: 'trials',
      attack: main.successes,
      control,
      baseline: guess,
      facts: {
        features: target.deviations.size,
        components: k,
        rows: target.members.flat().length,
        shareOfVariance: share,
        featuresNearlyWhole: nearlyWhole,
        onReducedRowsOfOutsiders: average(attacked(attack, own, target, target.outsiders).successes),
        [`differentialPrivacyEpsilon${PRIVATE.epsilon}`]: average(
          attacked(attack, privateReduction(scene, draws.of('private')), target, target.members).successes,
        ),
        nearlyRawFrom: nearlyRaw(lines[0]!, d),
      },
      blocks: [chartOf(id, scene, lines, { control: average(control), mean: guess, d })],
    };
  };
}

/** As drafts have it, for the whole scene's rows. */
const PRIVATE = { epsilon: 1, delta: 1e-6 } as const;

/** The scene's PCA with differential privacy, which does not cover rows that are reduced by it. */
function privateReduction(scene: Scene, draws: Draws): Reduction {
  const { components, features } = scene.proposal;
  return methodReduction(
    scene,
    {
      method: 'pca',
      components,
      differentialPrivacy: DifferentialPrivacy.parse({
        ...PRIVATE,
        neighbours: 'add-remove',
        clippingNorm: Math.sqrt(features.length / 3),
        dataIndependentRanges: true,
      }),
    },
    draws,
  );
}

function nearlyRaw({ points }: Line, d: number): string {
  const found = points.find(({ y }) => y >= NEARLY_RAW);
  return found === undefined
    ? 'nowhere in the chart'
    : `k = ${found.x} of ${d} (k/d = ${(found.x / d).toFixed(2)})`;
}

function chartOf(
  id: string,
  scene: Scene,
  lines: readonly Line[],
  { control, mean, d }: { control: number; mean: number; d: number },
): Block {
  const level = (name: string, y: number): Line => ({
    name,
    points: [1, d].map((x) => ({ x, y })),
    style: 'dashed',
  });
  return {
    kind: 'chart',
    name: chartName(id, scene),
    caption: `${scene.name}: share of features that come back within 5 % of what they span, over the number of components; ${d} features`,
    drawing: {
      kind: 'lines',
      x: { title: 'components', scale: 'linear' },
      y: { title: 'share of features', scale: 'linear' },
      lines: [...lines, level('best blind guess', control), level('public mean', mean)],
    },
  };
}

const omits = ({ publicSample }: Scene): string | undefined =>
  byPerson(publicSample).length < LEAST_PEOPLE
    ? `the public sample has fewer than ${LEAST_PEOPLE} people`
    : undefined;

function reconstruction(name: keyof typeof ATTACKS, texts: Pick<Experiment, 'title' | 'knows'>): Experiment {
  const id = `reconstruction-${name}`;
  return { ...TEXTS, id, ...texts, expectation: 'admitted', run: run(id, ATTACKS[name]) };
}

const TEXTS = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'values of rows',
  claims: ['P-20', 'S-215'],
  sees: 'reduced rows of members, and the projection with its mean where the task declares it',
  control:
    'people who are not in the task and of whom there is no reduced row: of each feature the guess that is right most often in the public sample',
  baseline: 'the mean of the public sample',
  unit: 'person',
  scenes: ['pima', 'breast_cancer', 'ionosphere', 'wisdm', 'olivetti'],
  omits,
} as const satisfies Partial<Experiment>;

const CONTROL: Experiment = {
  ...TEXTS,
  id: 'reconstruction-control',
  title: 'Rows from as many reduced numbers as there are features, by the pseudo-inverse',
  knows: 'nothing else',
  expectation: 'control',
  scenes: ['pima', 'ionosphere'],
  omits: (scene) =>
    omits(scene) ??
    (byPerson(scene.owners.flat()).length < LEAST_MEMBERS
      ? `there are fewer than ${LEAST_MEMBERS} people`
      : undefined),
  async run(setting) {
    const { scene, seed } = setting;
    const draws = new Draws(seed);
    const target = targetOf(setting, draws);
    const components = scene.proposal.features.length;
    const whole = methodReduction(scene, { method: 'pca', components }, draws.of('noise'));
    const blind = blindGuess(scaledRows(scene.proposal, scene.publicSample), target.tolerances);
    return {
      kind: 'trials',
      attack: attacked(ATTACKS['pseudo-inverse'], whole, target, target.members).successes,
      control: guessed(target, target.outsiders, blind),
      baseline: average(guessed(target, target.members, target.mean)),
      facts: { components },
    };
  },
};

export const RECONSTRUCTION: readonly Experiment[] = [
  reconstruction('pseudo-inverse', {
    title: 'Rows from reduced rows, by the pseudo-inverse of the projection',
    knows: 'nothing else',
  }),
  reconstruction('linear', {
    title: 'Rows from reduced rows, by a linear estimator',
    knows:
      'a public sample: it adds to the pseudo-inverse what ridge regression learns there, the ridge chosen there',
  }),
  reconstruction('learned', {
    title: 'Rows from reduced rows, by an inverse that is learnt',
    knows:
      'a public sample: by feature what the nearest rows there mostly are, or are beyond the linear estimate, whichever proves right there',
  }),
  CONTROL,
];
