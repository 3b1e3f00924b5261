/** Reconstruction of rows from reduced rows, by the share of features that come back. */

import { DifferentialPrivacy } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Block, Line } from '../../../instrument/report/document.ts';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import { byPerson, type Scene } from '../../scene.ts';
import { facesPicture, recognised, recognitionChart, showsFaces } from './faces.ts';
import { blindGuess, type Row } from './inverses.ts';
import {
  bookReduction,
  chartName,
  directionsOf,
  firstOf,
  LEAST_MEMBERS,
  LEAST_PEOPLE,
  methodReduction,
  type Reduction,
  randomReduction,
  reductionOf,
} from './reductions.ts';
import { ATTACKS, type Attack, attacked, guessed, type Target, targetOf, variance } from './target.ts';

/** Nearly raw: so large a share of features comes back. */
const NEARLY_RAW = 0.9;
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
    const swept = reductionsOf(setting, draws).map((reduction) => {
      note(`reduced by ${reduction.name}`);
      const points = componentsOf(d, k, effort)
        .filter((components) => components <= reduction.projection.vectors.length)
        .map((components) => ({
          components,
          ...attacked(attack, firstOf(reduction, components), target, target.members),
        }));
      return { name: reduction.name, points };
    });
    const lines = swept.map(
      ({ name, points }): Line => ({
        name,
        points: points.map((point) => ({ x: point.components, y: mean(point.successes) })),
        style: points.length > 1 ? 'solid' : 'points',
      }),
    );
    const guess = mean(guessed(target, target.members, target.mean));
    return {
      kind: 'trials',
      attack: main.successes,
      control,
      baseline: guess,
      facts: {
        features: target.deviations.size,
        components: k,
        rows: target.members.flat().length,
        'share of variance that comes back': share,
        'features of which nine tenths do': nearlyWhole,
        'success on reduced rows of outsiders': mean(
          attacked(attack, own, target, target.outsiders).successes,
        ),
        [`success where the projection is private, ε = ${PRIVATE.epsilon}`]: mean(
          attacked(attack, privateReduction(scene, draws.of('private')), target, target.members).successes,
        ),
        'nine tenths of features by PCA': nearlyRaw(lines[0]!, d),
        ...(showsFaces(scene) && factsOfFaces(target, main.estimates)),
      },
      blocks: [
        chartOf(id, scene, lines, { control: mean(control), mean: guess }),
        ...(showsFaces(scene) ? blocksOfFaces(id, target, own, swept[0]!.points) : []),
      ],
    };
  };
}

function factsOfFaces({ scene, members }: Target, estimates: readonly Row[]) {
  const { matched, correlation } = recognised(scene, members, estimates);
  return { 'faces that a matcher tells': matched, 'correlation with the face': correlation };
}

/** A chart for each attack, and for the last one a picture of all. */
function blocksOfFaces(
  id: string,
  target: Target,
  own: Reduction,
  points: readonly { readonly components: number; readonly estimates: readonly Row[] }[],
): Block[] {
  const { scene, members } = target;
  const chart = recognitionChart(
    chartName(`${id}-recognition`, scene),
    points.map(({ components, estimates }) => ({ components, ...recognised(scene, members, estimates) })),
    {
      originals: recognised(scene, members, scaledRows(scene.proposal, members.flat())).matched,
      chance: 1 / members.length,
    },
  );
  if (id !== PICTURED) return [chart];
  const attacks = Object.entries(ATTACKS).map(([title, attack]) => ({
    title,
    estimates: attacked(attack, own, target, members).estimates,
  }));
  return [chart, facesPicture(chartName(id, scene), scene, members, attacks)];
}

const PICTURED = 'reconstruction-learned';

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
  { control, mean }: { control: number; mean: number },
): Block {
  const d = scene.proposal.features.length;
  const xs = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const level = (name: string, y: number): Line => ({
    name,
    points: [Math.min(...xs), Math.max(...xs)].map((x) => ({ x, y })),
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

function reconstruction(name: keyof typeof ATTACKS): Unworded {
  const id = `reconstruction-${name}`;
  return { ...COMMON, id, expectation: 'admitted', run: run(id, ATTACKS[name]) };
}

const COMMON = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'values of rows',
  claims: ['P-20', 'S-215'],
  unit: 'person',
  scenes: ['pima', 'breast_cancer', 'ionosphere', 'wisdm', 'olivetti'],
  omits,
} as const satisfies Partial<Unworded>;

const CONTROL: Unworded = {
  ...COMMON,
  id: 'reconstruction-control',
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
      baseline: mean(guessed(target, target.members, target.mean)),
      facts: { components },
    };
  },
};

export const RECONSTRUCTION: readonly Unworded[] = [
  reconstruction('pseudo-inverse'),
  reconstruction('linear'),
  reconstruction('learned'),
  CONTROL,
];
