/** Attribute inference: the private label from reduced rows, by method of projection. */
import { Draws } from '../../draws.ts';
import type { Setting, Trials, Unworded } from '../../experiment.ts';
import type { Person, Scene } from '../../scene.ts';
import { classesOf } from '../../scenes/split.ts';
import { attacks } from '../attack.ts';
import { guessed } from './classifiers.ts';
import { comparison, METHODS } from './method-comparison.ts';
import { blind, labelsOf, problemOf, successes } from './private-label.ts';
import { directionsOf, omitsFewMembers, omitsFewPublic, type Reduction, somePeople } from './reductions.ts';

const LIMITS = { quick: { people: 100, rows: 5 }, full: { people: 400, rows: 20 } } as const;

const omits = (scene: Scene): string | undefined => {
  if (scene.privateLabel === undefined) return 'the scene has no private label';
  if (directionsOf(scene, scene.utilityLabel) < 1) return 'the scene has no utility label with two classes';
  return omitsFewPublic(scene);
};

const membersOf = ({ scene, effort, seed }: Setting): Person[] =>
  somePeople(scene.owners.flat(), LIMITS[effort], new Draws(seed).of('members'));

async function trialsOn(setting: Setting, reduction: Reduction): Promise<Trials> {
  const { scene } = setting;
  const members = membersOf(setting);
  const { utility, private: hidden } = labelsOf(scene);
  const [guesses] = await guessed([problemOf(scene, members, reduction, utility)]);
  const { byUtility, majority } = blind(scene, members);
  return {
    kind: 'trials',
    attack: successes(members, guesses!.labels, hidden),
    control: byUtility,
    paired: true,
    baseline: majority,
    facts: {
      components: reduction.projection.vectors.length,
      rows: members.flat().length,
      classifier: guesses!.classifier,
    },
  };
}

const by = (method: keyof typeof METHODS) => (setting: Setting) =>
  trialsOn(setting, METHODS[method](setting.scene, new Draws(setting.seed).of('noise')));

/** MDR beside other methods. */
async function compared(setting: Setting): Promise<Trials> {
  const trials = await by('mdr')(setting);
  setting.note('beside other methods');
  const draws = new Draws(setting.seed).of('comparison');
  return { ...trials, blocks: await comparison('attribute-mdr', setting, draws, membersOf(setting)) };
}

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

const control = (setting: Setting) => {
  const { scene, seed } = setting;
  return trialsOn(setting, planted(METHODS.pca(scene, new Draws(seed)), scene));
};

const attack = attacks({ attacker: 'recipient', secret: 'private label', unit: 'person', omits });
const SCENES = ['pima', 'breast_cancer', 'olivetti'] as const;

export const ATTRIBUTES: readonly Unworded[] = [
  attack('attribute-none', 'admitted', ['P-20'], SCENES, by('none')),
  attack('attribute-pca', 'admitted', ['P-20'], SCENES, by('pca')),
  attack('attribute-dca', 'admitted', ['P-20'], SCENES, by('dca')),
  attack('attribute-lda', 'admitted', ['P-20'], SCENES, by('lda')),
  attack('attribute-mdr', 'admitted', ['P-20', 'S-320'], SCENES, compared),
  attack('attribute-control', 'control', ['P-20'], ['pima', 'breast_cancer'], control, {
    omits: (scene) => omits(scene) ?? omitsFewMembers(scene),
  }),
];
