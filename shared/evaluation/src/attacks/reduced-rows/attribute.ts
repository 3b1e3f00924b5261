/** A private label guessed from reduced rows, by method; and what MDR, which is to hide it, is worth beside the others. */
import type { Block, Line } from '@eigenveil/report/document';
import { Draws } from '../../draws.ts';
import type { Experiment, Outcome, Setting } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { classesOf } from '../../scenes/split.ts';
import { guessed, type Labelled, mostFrequentByKnown, type Problem } from './classifiers.ts';
import {
  average,
  bookReduction,
  byPerson,
  chartName,
  classesAmong,
  firstOf,
  type Limits,
  methodReduction,
  type Reduction,
  somePeople,
} from './reductions.ts';

const LEAST_PEOPLE = 6;
const LIMITS: Readonly<Record<Setting['effort'], Limits>> = {
  quick: { people: 100, rows: 5 },
  full: { people: 400, rows: 20 },
};

type People = readonly (readonly SceneRow[])[];

interface Labels {
  readonly utility: string;
  readonly private: string;
}

/** @throws Error where the scene has none of both, which `omits` says before */
function labelsOf({ utilityLabel, privateLabel }: Scene): Labels {
  if (utilityLabel === undefined || privateLabel === undefined)
    throw new Error('the scene expected a utility label and a private label');
  return { utility: utilityLabel, private: privateLabel };
}

const omits = (scene: Scene): string | undefined => {
  if (scene.privateLabel === undefined) return 'the scene has no private label';
  if (scene.utilityLabel === undefined) return 'the scene has no utility label';
  const people = byPerson(scene.publicSample).length;
  return people < LEAST_PEOPLE ? `the public sample has fewer than ${LEAST_PEOPLE} people` : undefined;
};

/** Of the rows of a person, reduced, with what is known of them and what is to be guessed. */
function labelled(
  reduction: Reduction,
  rows: readonly SceneRow[],
  label: string,
  known?: string,
): readonly Labelled[] {
  return reduction.reduce(rows).map((input, i) => ({
    input,
    label: rows[i]!.labels[label]!,
    ...(known !== undefined && { known: rows[i]!.labels[known]! }),
  }));
}

interface Measured {
  readonly components: number;
  /** By person, by who knows reduced rows and the utility label. */
  readonly together: readonly number[];
  /** Share of rows, by who knows reduced rows alone. */
  readonly alone: number;
  /** Share of members' rows whose utility label is right, by who has labelled reduced rows of other members. */
  readonly utility: number;
}

/** Of each person, the share of rows whose label was guessed. */
function successes(people: People, labels: readonly string[], of: string): number[] {
  let next = 0;
  return people.map((own) => average(own.map((row) => (row.labels[of] === labels[next++] ? 1 : 0))));
}

/** The private label from reduced rows, with the utility label known or not. */
function problemOf(scene: Scene, members: People, reduction: Reduction, known?: string): Problem {
  const { private: hidden } = labelsOf(scene);
  return {
    sample: byPerson(scene.publicSample).map((own) => labelled(reduction, own, hidden, known)),
    targets: labelled(reduction, members.flat(), hidden, known),
  };
}

async function measured(
  scene: Scene,
  members: People,
  reductions: readonly Reduction[],
): Promise<readonly Measured[]> {
  const { utility, private: hidden } = labelsOf(scene);
  const guesses = await guessed(
    reductions.flatMap((reduction): Problem[] => [
      problemOf(scene, members, reduction, utility),
      problemOf(scene, members, reduction),
      // Rows, not people, are dealt to folds: a person may be a utility class.
      { sample: labelled(reduction, members.flat(), utility).map((row) => [row]), targets: [] },
    ]),
  );
  return reductions.map(({ projection }, r) => ({
    components: projection.vectors.length,
    together: successes(members, guesses[3 * r]!.labels, hidden),
    alone: average(successes(members, guesses[3 * r + 1]!.labels, hidden)),
    utility: guesses[3 * r + 2]!.validated,
  }));
}

/** What is guessed of members without reduced rows: from their utility label, or with no knowledge of them. */
function blind(scene: Scene, members: People) {
  const { utility, private: hidden } = labelsOf(scene);
  const guesses = (known?: string) => {
    const rows = (own: readonly SceneRow[]) =>
      own.map((row) => ({
        input: [],
        label: row.labels[hidden]!,
        ...(known !== undefined && { known: row.labels[known]! }),
      }));
    const guess = mostFrequentByKnown(byPerson(scene.publicSample).map(rows));
    return successes(members, rows(members.flat()).map(guess), hidden);
  };
  return { byUtility: guesses(utility), majority: average(guesses()) };
}

/** Most that a discriminant method of these classes gives. */
const directions = (scene: Scene): number =>
  Math.min(scene.proposal.features.length, classesAmong(scene, labelsOf(scene).utility) - 1);

const componentsOf = (scene: Scene): number =>
  Math.min(scene.proposal.components, scene.proposal.features.length);

type Maker = (scene: Scene, draws: Draws) => Reduction;

const METHODS = {
  pca: (scene, draws) => methodReduction(scene, { method: 'pca', components: componentsOf(scene) }, draws),
  dca: (scene, draws) => methodReduction(scene, { method: 'dca', components: directions(scene) }, draws),
  lda: (scene, draws) => methodReduction(scene, { method: 'lda', components: directions(scene) }, draws),
  mdr: (scene, draws) => methodReduction(scene, { method: 'mdr', components: directions(scene) }, draws),
  none: ({ proposal }) => ({
    name: 'none',
    projection: { vectors: proposal.features.map(() => []) },
    reduce: (rows) => scaledRows(proposal, rows),
  }),
} as const satisfies Record<string, Maker>;

/** ρ of MDR beside that of drafts, 1: the smaller, the more the means of private classes are made alike. */
const RIDGES = [0.01, 100] as const;
/** Deviations of the noise that makes DCA worse, in those of its reduced rows. */
const NOISES = [0.5, 1, 2, 4] as const;

/** DCA with noise on its reduced rows: what it costs in utility to hide a label by saying less of everything. */
function noisy(reduction: Reduction, factor: number, scene: Scene, draws: Draws): Reduction {
  const sample = reduction.reduce(scene.publicSample);
  const units = sample[0]!.map((_, c) => {
    const mean = average(sample.map((row) => row[c]!));
    return Math.sqrt(average(sample.map((row) => (row[c]! - mean) ** 2)));
  });
  return {
    ...reduction,
    reduce: (rows) =>
      reduction.reduce(rows).map((row) => row.map((value, c) => value + factor * units[c]! * draws.normal())),
  };
}

interface Arm {
  readonly title: string;
  readonly style: Line['style'];
  readonly reductions: readonly Reduction[];
}

/** By method and number of components, ρ or noise. */
function armsOf({ scene, effort }: Setting, draws: Draws): readonly Arm[] {
  const made = (method: keyof typeof METHODS) => METHODS[method](scene, draws.of(method));
  const mdr = made('mdr');
  const dca = made('dca');
  if (effort === 'quick') {
    return [
      { title: 'PCA', style: 'points', reductions: [made('pca')] },
      { title: 'DCA and LDA', style: 'points', reductions: [dca] },
      { title: 'MDR', style: 'points', reductions: [mdr] },
    ];
  }
  const d = scene.proposal.features.length;
  const most = Math.min(d, MOST_COMPONENTS);
  const numbers = [...new Set([1, 2, 4, 8, 16, most])].filter((k) => k <= most);
  const pca = methodReduction(scene, { method: 'pca', components: most }, draws);
  const book = bookReduction(scene, most, draws);
  const components = directions(scene);
  return [
    { title: 'PCA, by components', style: 'solid', reductions: numbers.map((k) => firstOf(pca, k)) },
    {
      title: 'DCA, the book’s form, by components',
      style: 'solid',
      reductions: numbers.map((k) => firstOf(book, k)),
    },
    { title: 'DCA', style: 'points', reductions: [dca] },
    { title: 'LDA', style: 'points', reductions: [made('lda')] },
    {
      title: 'DCA with noise on reduced rows',
      style: 'dashed',
      reductions: [dca, ...NOISES.map((factor) => noisy(dca, factor, scene, draws.of(`noise ${factor}`)))],
    },
    {
      title: 'MDR, ρ = 0.01, 1 and 100',
      style: 'solid',
      reductions: [
        methodReduction(scene, { method: 'mdr', components, ridge: RIDGES[0] }, draws),
        mdr,
        methodReduction(scene, { method: 'mdr', components, ridge: RIDGES[1] }, draws),
      ],
    },
    { title: 'no projection', style: 'points', reductions: [made('none')] },
  ];
}

/** Of charts. */
const MOST_COMPONENTS = 32;

async function comparison(id: string, setting: Setting, draws: Draws, members: People) {
  const { scene } = setting;
  const arms = armsOf(setting, draws);
  const all = await measured(
    scene,
    members,
    arms.flatMap(({ reductions }) => reductions),
  );
  const { byUtility, majority } = blind(scene, members);
  let next = 0;
  const lines = arms.map(({ title, style, reductions }): Line => {
    const own = reductions.map(() => all[next++]!);
    return {
      name: title,
      style,
      points: own.map(({ utility, alone }) => ({ x: utility, y: alone })),
    };
  });
  const xs = all.map(({ utility }) => utility);
  const level = (name: string, y: number): Line => ({
    name,
    style: 'dashed',
    points: [Math.min(...xs), Math.max(...xs)].map((x) => ({ x, y })),
  });
  const chart: Block = {
    kind: 'chart',
    name: chartName(id, scene),
    caption: `${scene.name}: the private label ${labelsOf(scene).private} guessed from reduced rows alone, over the utility label ${labelsOf(scene).utility} told from them; a method that hides well lies low and to the right`,
    drawing: {
      kind: 'lines',
      x: { title: 'utility label right', scale: 'linear' },
      y: { title: 'private label right', scale: 'linear' },
      lines: [
        ...lines,
        level('from the utility label alone', average(byUtility)),
        level('most frequent', majority),
      ],
    },
  };
  const titles = arms.flatMap(({ title, reductions }) => reductions.map(() => title));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const table: Block = {
    kind: 'table',
    caption: `${scene.name}: shares of rows that are guessed right; ${percent(average(byUtility))} from the utility label alone, ${percent(majority)} by the most frequent`,
    columns: [
      { title: 'reduced by', align: 'left' },
      ...['components', 'utility', 'private, from reduced rows', 'and the utility label'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    rows: all.map(({ components, utility, alone, together }, i) => [
      titles[i]!,
      `${components}`,
      percent(utility),
      percent(alone),
      percent(average(together)),
    ]),
  };
  return [chart, table];
}

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

function experiment(method: keyof typeof METHODS, title: string, claims: Experiment['claims']): Experiment {
  const id = `attribute-${method}`;
  return {
    ...TEXTS,
    id,
    title,
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

const TEXTS = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'private label',
  sees: 'reduced rows of members with their utility labels, and the projection',
  knows:
    'a public sample with both labels, on which it chooses the best of six classifiers: most frequent by utility label, linear, nearest neighbours, support vector machines',
  control:
    'the same people without their reduced rows: the private label that is most frequent in the public sample among those with their utility label',
  baseline: 'the private label that is most frequent in the public sample',
  unit: 'person',
  scenes: ['pima', 'breast_cancer', 'olivetti'],
  omits,
} as const satisfies Partial<Experiment>;

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

/** Fewer cannot show a leak at the level of a quick run, however large. */
const LEAST_MEMBERS = 50;

const CONTROL: Experiment = {
  ...TEXTS,
  id: 'attribute-control',
  title: 'A private label that is planted in reduced rows as one more component',
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

export const ATTRIBUTES: readonly Experiment[] = [
  experiment('none', 'A private label from the rows themselves', ['P-20']),
  experiment('pca', 'A private label from rows reduced by PCA', ['P-20']),
  experiment('dca', 'A private label from rows reduced by DCA', ['P-20']),
  experiment('lda', 'A private label from rows reduced by LDA', ['P-20']),
  experiment('mdr', 'A private label from rows reduced by MDR, which is to hide it', ['P-20', 'S-320']),
  CONTROL,
];
