/** Carries an attack on membership out: over worlds with the candidate and without, by the number of rows. */

import { isOf } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection';
import { addStatistics } from '@eigenveil/statistics';
import { cappedComponents, programOf, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Chart } from '../../../instrument/report/document.ts';
import { shareOf } from '../../../recognition/intervals.ts';
import { Draws } from '../../draws.ts';
import type { Setting, Trials } from '../../experiment.ts';
import { releasedOf, statisticsOf } from '../../released.ts';
import { byPerson, type Person, type Scene } from '../../scene.ts';
import { lineChart } from '../../shown.ts';
import { type Attack, comparison, FALSE_POSITIVES } from './attack.ts';
import { drawWorlds, poolOf } from './worlds.ts';

export interface Inference {
  readonly id: string;
  readonly attack: Attack;
  /** The most people of the public sample who have their scores on every result compared with a candidate's. */
  readonly compared: number;
  /** The task over this number of rows. */
  proposalOf(scene: Scene, rows: number): TaskProposal;
  /** Numbers of rows, the one that decides last. */
  sizesOf(setting: Pick<Setting, 'scene' | 'effort'>): readonly number[];
  /** The people whom the attacker looks at: each trial draws one of them, with other people. Default: anybody. */
  candidatesOf?(scene: Scene, pool: readonly Person[]): readonly Person[];
  trialsOf(setting: Pick<Setting, 'scene' | 'effort'>): { deciding: number; others: number };
}

/** A result made the attacker think this of the candidate. */
interface Seen {
  readonly score: number;
  /** 1: taken for a member. */
  readonly hit: number;
}

/** Trials of one number of rows, each with the same candidate and others on both sides. */
interface Tried {
  readonly rows: number;
  readonly trials: readonly { readonly within: Seen; readonly without: Seen }[];
  /** Worlds that were drawn again, since the task over them is refused. */
  readonly refused: number;
}

/** The number of times that one trial is tried, before the scene is said to be unfit for the experiment. */
const DRAWN_AGAIN = 50;

export async function runInference(inference: Inference, setting: Setting): Promise<Trials> {
  const { scene, note } = setting;
  const sizes = inference.sizesOf(setting);
  const trials = inference.trialsOf(setting);
  const tried = sizes.map((rows, i) => {
    note(`${rows} rows`);
    return tryOut(inference, setting, rows, i === sizes.length - 1 ? trials.deciding : trials.others);
  });
  const deciding = tried.at(-1)!;
  return {
    kind: 'trials',
    attack: deciding.trials.map(({ within }) => within.hit),
    control: deciding.trials.map(({ without }) => without.hit),
    paired: true,
    baseline: FALSE_POSITIVES,
    facts: {
      rows: deciding.rows,
      components: cappedComponents(programOf(inference.proposalOf(scene, deciding.rows))),
      'area under the curve': rounded(areaUnderCurve(deciding)),
      'true positives at 1 % false ones': rounded(atFalsePositives(deciding)),
      'data sets drawn again, the task being refused': tried.reduce((sum, { refused }) => sum + refused, 0),
    },
    blocks: tried.length === 1 ? [] : [chartOf(`${inference.id}-${scene.name}`, tried)],
  };
}

function tryOut(inference: Inference, { scene, seed }: Setting, rows: number, trials: number): Tried {
  const draws = new Draws(`${seed}/${rows} rows`);
  const proposal = inference.proposalOf(scene, rows);
  const target = { proposal, rows, publicSample: byPerson(scene.publicSample) };
  const prepared = inference.attack(target, draws.of('attacker'));
  const pool = poolOf(scene);
  const candidates = inference.candidatesOf?.(scene, pool);
  const suspicions = new Map(candidates?.map((candidate) => [candidate, prepared(candidate)]));
  const others = comparison(prepared, target.publicSample.slice(0, inference.compared));
  let refused = 0;
  const once = (trial: number) => {
    for (let again = 0; again < DRAWN_AGAIN; again += 1) {
      const own = draws.of(`trial ${trial}, ${again}`);
      const worlds = drawWorlds(pool, rows, own, candidates?.[trial % candidates.length]);
      const rest = statisticsOf(proposal, worlds.others);
      const { score, rare } = suspicions.get(worlds.candidate) ?? prepared(worlds.candidate);
      const seen = (person: Person): Seen => {
        const released = releasedOf(proposal, addStatistics(rest, statisticsOf(proposal, person)), own);
        return { score: score(released), hit: Number(score(released) > Math.max(rare, others(released))) };
      };
      try {
        return { within: seen(worlds.candidate), without: seen(worlds.stranger) };
      } catch (error) {
        // A task that nobody would get a result of.
        if (!isOf(PROJECTION_CODES, error)) throw error;
        refused += 1;
      }
    }
    throw new RangeError(
      `expected rows over which the task is not refused, got ${DRAWN_AGAIN} data sets of others`,
    );
  };
  const all = Array.from({ length: trials }, (_, trial) => once(trial));
  return { rows, trials: all, refused };
}

/** The probability that a member's score is above another's. */
function areaUnderCurve({ trials }: Tried): number {
  const above = trials.map(({ within }) =>
    trials.reduce((sum, { without }) => sum + (Math.sign(within.score - without.score) + 1) / 2, 0),
  );
  return mean(above) / trials.length;
}

/** Counts hits by the threshold that one in a hundred of these very others exceeds: what a better calibrated attacker would have. */
function atFalsePositives({ trials }: Tried): number {
  const allowed = Math.floor(FALSE_POSITIVES * trials.length);
  const threshold = trials.map(({ without }) => without.score).toSorted((a, b) => b - a)[allowed]!;
  return mean(trials.map(({ within }) => Number(within.score > threshold)));
}

const rounded = (value: number): number => Number(value.toPrecision(3));

function chartOf(name: string, tried: readonly Tried[]): Chart {
  const pointsOf = (side: 'within' | 'without') =>
    tried.map(({ rows, trials }) => {
      const hits = trials.filter((trial) => trial[side].hit === 1).length;
      const { value, low, high } = shareOf(hits, trials.length);
      return { x: rows, y: 100 * value, low: 100 * low, high: 100 * high };
    });
  return lineChart(
    {
      name,
      caption:
        'How often a candidate is taken for a member, by the number of rows in the task: candidates who are in, and the same ones where they are not. Whiskers: 95 %, for each point by itself.',
    },
    { title: 'rows of all owners', scale: 'log' },
    'taken for a member (%)',
    [
      { name: 'in the data', points: pointsOf('within') },
      { name: 'not in the data', points: pointsOf('without') },
    ],
  );
}
