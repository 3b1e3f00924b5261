/** The number of rows from a declared mean, whose denominator it is. */
import { DAY_MILLISECONDS, floorOf, TaskProposal } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { agreed } from '../in-process/small-task.ts';
import { RELEASES, realResult } from './floor.ts';
import { drawnTask, MEAN_BITS } from './matrices.ts';
import { likelyRows } from './rows.ts';
import { GRAIN } from './scatter.ts';
import { COMMON, found, notFound, type Scored } from './scoring.ts';
import { type TwoValued, tooFewDivided, tooFewRows, twoValuedTask, type Wanted } from './two-valued.ts';

const FEATURES = 8;
const ROWS = 110;

/** A ridge regression that declares its mean alone: of all tasks that do, the one of the fewest gates. */
const TASK: Wanted = {
  method: { kind: 'ridge', ridge: 1 },
  twoParty: 'garbled',
  features: FEATURES,
  components: 0,
  outputs: ['mean'],
};

const varyingOf = ({ proposal }: Scene) =>
  proposal.features.flatMap(({ min, max }, place) => (min < max ? [place] : []));

/** The same over features as they are. */
function plainTask(scene: Scene): TwoValued {
  const places = varyingOf(scene).slice(0, FEATURES);
  const task = agreed(
    TaskProposal.parse({
      ...TASK,
      features: places.map((place) => ({ ...scene.proposal.features[place]!, twoValued: false })),
      minimumOwners: 2,
      maximumOwners: 2,
      maximumSamplesPerOwner: scene.owners.flat().length,
      ...{ exact: true, allowFullRank: true },
      deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
    }),
  );
  const rowsOf: TwoValued['rowsOf'] = (rows) =>
    rows.map((row) => ({ ...row, values: places.map((place) => row.values[place]!) }));
  return { task, rowsOf };
}

/** The probability of the right number of rows after a task; with the floor the features have two values. */
async function likelihood(scene: Scene, wanted: Wanted | undefined, draws: Draws): Promise<Scored> {
  const own = wanted ? twoValuedTask(scene, wanted) : plainTask(scene);
  const count = ROWS - draws.of('size').below(ROWS / 2);
  const drawn = drawnTask(scene, own, count, draws.of('rows'));
  const { task } = drawn;
  const { mean } = await realResult(drawn, draws.of('floor'));
  const floor = floorOf(task);
  const [grain, bits] = floor ? [GRAIN, floor.released.mean] : [2 ** -task.fractionBits, MEAN_BITS];
  const grains = mean!.map((value) => (value + 1) / grain);
  const most = task.maximumOwners * task.maximumSamplesPerOwner;
  const right = likelyRows({ grains, cut: 2 ** -bits / grain, noise: floor?.deviation ?? 0 }, most)[
    count - 1
  ]!;
  return { attack: right, control: 1 / most, pointsLeft: -Math.log2(right) };
}

const about = {
  ...COMMON,
  secret: 'classes and counts',
} as const;
const FACTS = { features: FEATURES, 'most rows': ROWS };

export const NUMBERS_OF_ROWS: readonly Unworded[] = [
  {
    ...about,
    id: 'rows-of-mean',
    expectation: 'control',
    claims: ['S-363'],
    omits: (scene) =>
      varyingOf(scene).length < FEATURES
        ? `fewer than ${FEATURES} features that vary`
        : tooFewRows(scene, ROWS),
    run: (setting) =>
      found(setting, FACTS, (draws) => likelihood(setting.scene, undefined, draws), { byPart: true }),
  },
  {
    ...about,
    id: 'floored-rows-of-mean',
    expectation: 'holds',
    claims: ['S-703', 'S-714'],
    omits: (scene) => tooFewDivided(scene, FEATURES, ROWS),
    run: (setting) =>
      notFound(setting, FACTS, (draws) => likelihood(setting.scene, { ...TASK, releases: RELEASES }, draws)),
  },
];
