/** Reconstruction of rows from reduced rows, by the share of features that come back. */

import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Block, Line } from '../../../instrument/report/document.ts';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { lineChart } from '../../shown.ts';
import { attacks } from '../attack.ts';
import { EPSILON, privacyOf } from '../private.ts';
import { facesPicture, recognised, recognitionChart, showsFaces } from './faces.ts';
import { blindGuess, type Row } from './inverses.ts';
import {
  bookReduction,
  directionsOf,
  firstOf,
  methodReduction,
  omitsFewMembers,
  omitsFewPublic,
  type Reduction,
  randomReduction,
  reductionOf,
} from './reductions.ts';
import { ATTACKS, type Attack, attacked, guessed, type Target, targetOf, variance } from './target.ts';

/** Nearly raw: so large a share of features comes back. */
const NEARLY_RAW = 0.9;
/** Charts go no further: a learned inverse of more takes minutes. */
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
  const components = directionsOf(scene, scene.utilityLabel);
  const pca = methodReduction(scene, { method: 'pca', components: d }, draws);
  const random = randomReduction(scene, draws.of('random'));
  if (effort === 'quick' || components < 1) return [pca, random];
  const discriminant = scene.privateLabel === undefined ? (['lda'] as const) : (['lda', 'mdr'] as const);
  return [
    pca,
    bookReduction(scene, d, draws),
    ...discriminant.map((method) => methodReduction(scene, { method, components }, draws)),
    random,
  ];
}

/** The attack on members whose rows are reduced so, beside guesses about outsiders. */
function trialsOn(setting: Setting, attack: Attack, reduced: (draws: Draws) => Reduction) {
  const { scene, seed } = setting;
  const draws = new Draws(seed);
  const target = targetOf(setting, draws);
  const own = reduced(draws.of('noise'));
  const { estimates, successes } = attacked(attack, own, target, target.members);
  const blind = blindGuess(scaledRows(scene.proposal, scene.publicSample), target.tolerances);
  const trials = {
    kind: 'trials',
    attack: successes,
    control: guessed(target, target.outsiders, blind),
    baseline: mean(guessed(target, target.members, target.mean)),
  } as const;
  return { draws, target, own, estimates, trials };
}

function run(id: string, attack: Attack) {
  return async (setting: Setting): Promise<Outcome> => {
    const { scene, effort, note } = setting;
    note('the scene’s own task');
    const { draws, target, own, estimates, trials } = trialsOn(setting, attack, (noise) =>
      reductionOf(scene, scene.proposal, noise),
    );
    const d = scene.proposal.features.length;
    const k = own.projection.vectors.length;
    const rows = scaledRows(scene.proposal, target.members.flat());
    const { share, nearlyWhole } = variance(target, rows, estimates);
    const successOn = (reduction: Reduction, people = target.members) =>
      mean(attacked(attack, reduction, target, people).successes);
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
    const chart = lineChart(
      {
        name: `${id}-${scene.name}`,
        caption: `${scene.name}: share of features that come back within 5 % of what they span, over the number of components; ${d} features`,
      },
      'components',
      'share of features',
      lines,
      { 'best blind guess': mean(trials.control), 'public mean': trials.baseline },
    );
    const faces = showsFaces(scene) && recognised(scene, target.members, estimates);
    return {
      ...trials,
      facts: {
        features: target.deviations.size,
        components: k,
        rows: rows.length,
        'share of variance that comes back': share,
        'features of which nine tenths do': nearlyWhole,
        'success on reduced rows of outsiders': successOn(own, target.outsiders),
        [`success where the projection is private, ε = ${EPSILON}`]: successOn(
          privateReduction(scene, draws.of('private')),
        ),
        'nine tenths of features by PCA': nearlyRaw(lines[0]!, d),
        ...(faces && {
          'faces that a matcher tells': faces.matched,
          'correlation with the face': faces.correlation,
        }),
      },
      blocks: [chart, ...(faces ? blocksOfFaces(id, target, own, swept[0]!.points) : [])],
    };
  };
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
    `${id}-recognition-${scene.name}`,
    points.map(({ components, estimates }) => ({ components, ...recognised(scene, members, estimates) })),
    {
      originals: recognised(scene, members, scaledRows(scene.proposal, members.flat())).matched,
      chance: 1 / members.length,
    },
  );
  if (id !== PICTURED) return [chart];
  const ways = Object.entries(ATTACKS).map(([title, attack]) => ({
    title,
    estimates: attacked(attack, own, target, members).estimates,
  }));
  return [chart, facesPicture(`${id}-${scene.name}`, scene, members, ways)];
}

const PICTURED = 'reconstruction-learned';

/** The scene's PCA with differential privacy, which does not cover rows that are reduced by it. */
const privateReduction = (scene: Scene, draws: Draws): Reduction =>
  methodReduction(scene, { method: 'pca', differentialPrivacy: privacyOf(scene) }, draws);

function nearlyRaw({ points }: Line, d: number): string {
  const found = points.find(({ y }) => y >= NEARLY_RAW);
  return found === undefined
    ? 'nowhere in the chart'
    : `k = ${found.x} of ${d} (k/d = ${(found.x / d).toFixed(2)})`;
}

const attack = attacks({
  attacker: 'recipient',
  secret: 'values of rows',
  unit: 'person',
  omits: omitsFewPublic,
});

export const RECONSTRUCTION: readonly Unworded[] = [
  ...(['pseudo-inverse', 'linear', 'learned'] as const).map((name) => {
    const id = `reconstruction-${name}`;
    const scenes = ['pima', 'breast_cancer', 'ionosphere', 'wisdm', 'olivetti'] as const;
    return attack(id, 'admitted', ['P-20', 'S-215'], scenes, run(id, ATTACKS[name]));
  }),
  attack(
    'reconstruction-control',
    'control',
    ['P-20', 'S-215'],
    ['pima', 'ionosphere'],
    async (setting) => {
      const { scene } = setting;
      const components = scene.proposal.features.length;
      const { trials } = trialsOn(setting, ATTACKS['pseudo-inverse'], (noise) =>
        methodReduction(scene, { method: 'pca', components }, noise),
      );
      return { ...trials, facts: { components } };
    },
    { omits: (scene) => omitsFewPublic(scene) ?? omitsFewMembers(scene) },
  ),
];
