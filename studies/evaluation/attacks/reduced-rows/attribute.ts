/** Attribute inference: the private label from reduced rows, by method of projection. */
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { byPerson, type Scene } from '../../scene.ts';
import { classesOf } from '../../scenes/split.ts';
import { guessed } from './classifiers.ts';
import { comparison, METHODS } from './method-comparison.ts';
import { blind, labelsOf, type People, problemOf, successes } from './private-label.ts';
import {
  directionsOf,
  LEAST_MEMBERS,
  LEAST_PEOPLE,
  type Limits,
  type Reduction,
  somePeople,
} from './reductions.ts';

const LIMITS: Readonly<Record<Setting['effort'], Limits>> = {
  quick: { people: 100, rows: 5 },
  full: { people: 400, rows: 20 },
};

const omits = (scene: Scene): string | undefined => {
  if (scene.privateLabel === undefined) return 'the scene has no private label';
  if (directionsOf(scene, scene.utilityLabel) < 1) return 'the scene has no utility label with two classes';
  const people = byPerson(scene.publicSample).length;
  return people < LEAST_PEOPLE ? `the public sample has fewer than ${LEAST_PEOPLE} people` : undefined;
};

async function outcomeOf(scene: Scene, members: People, reduction: Reduction) {
  const { utility, private: hidden } = labelsOf(scene);
  const [guesses] = await guessed([problemOf(scene, members, reduction, utility)]);
  const { byUtility, majority } = blind(scene, members);
  return {
    kind: 'trials' as const,
    attack: successes(members, guesses!.labels, hidden),
    control: byUtility,
    paired: true as const,
    baseline: majority,
    facts: {
      components: reduction.projection.vectors.length,
      rows: members.flat().length,
      classifier: guesses!.classifier,
    },
  };
}

function experiment(method: keyof typeof METHODS, claims: Unworded['claims']): Unworded {
  const id = `attribute-${method}`;
  return {
    ...COMMON,
    id,
    expectation: 'admitted',
    claims,
    async run(setting): Promise<Outcome> {
      const { scene, effort, seed, note } = setting;
      const draws = new Draws(seed);
      const members = somePeople(scene.owners.flat(), LIMITS[effort], draws.of('members'));
      const outcome = await outcomeOf(scene, members, METHODS[method](scene, draws.of('noise')));
      if (method !== 'mdr') return outcome;
      note('beside other methods');
      return { ...outcome, blocks: await comparison(id, setting, draws.of('comparison'), members) };
    },
  };
}

const COMMON = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'private label',
  unit: 'person',
  scenes: ['pima', 'breast_cancer', 'olivetti'],
  omits,
} as const satisfies Partial<Unworded>;

/** One more coordinate, which is the private label, as long as all others together. */
function planted(reduction: Reduction, scene: Scene): Reduction {
  const { private: hidden } = labelsOf(scene);
  const classes = classesOf(scene, hidden);
  const length = Math.max(...reduction.reduce(scene.publicSample).map((row) => Math.hypot(...row)));
  return {
    ...reduction,
    reduce: (rows) =>
      reduction.reduce(rows).map((row, i) => [...row, length * classes.indexOf(rows[i]!.labels[hidden]!)]),
  };
}

const CONTROL: Unworded = {
  ...COMMON,
  id: 'attribute-control',
  expectation: 'control',
  claims: ['P-20'],
  scenes: ['pima', 'breast_cancer'],
  omits: (scene) =>
    omits(scene) ??
    (byPerson(scene.owners.flat()).length < LEAST_MEMBERS
      ? `there are fewer than ${LEAST_MEMBERS} people`
      : undefined),
  async run({ scene, effort, seed }) {
    const draws = new Draws(seed);
    const members = somePeople(scene.owners.flat(), LIMITS[effort], draws.of('members'));
    return outcomeOf(scene, members, planted(METHODS.pca(scene, draws), scene));
  },
};

export const ATTRIBUTES: readonly Unworded[] = [
  experiment('none', ['P-20']),
  experiment('pca', ['P-20']),
  experiment('dca', ['P-20']),
  experiment('lda', ['P-20']),
  experiment('mdr', ['P-20', 'S-320']),
  CONTROL,
];
