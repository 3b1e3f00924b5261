/** The knowledge that times give. Moments that are promised are looked at by a clock that is made up; real time is measured, and never decides. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sketchMatrix, statisticsOfCsv } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Pace } from '@eigenveil/two-party';
import { MadeUpTime } from '@eigenveil/two-party/insides';
import { pencilPaces, sketchPaces } from '@eigenveil/two-party/plan';
import { measureOperation, type Operation } from '../../../speed/timing/measure.ts';
import { REFUSALS } from '../../../speed/timing/refusal.ts';
import { Draws } from '../../draws.ts';
import type { Setting, Trials, Unworded } from '../../experiment.ts';
import { pooledStatistics, statisticsOf } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { exactly, oddOnes } from '../in-process/exact.ts';
import { agreed, COLUMNS, FEATURES, smallTask, tooSmall, withoutClasses } from '../in-process/small-task.ts';
import { runTwoParty, share } from '../in-process/two-party.ts';
import { pairedDelays } from './paired-delays.ts';
import { type Site, type Summarise, startSite } from './site.ts';

const CHANCE = 0.5;
const FEW_ROWS = 100;
const MANY_ROWS = 5000;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Rows as in an owner's file, read as an owner reads it. */
function reading(rows: readonly SceneRow[], task: Task): ReturnType<Summarise> {
  const names = task.features.map(({ name }) => JSON.stringify(name)).join(',');
  const text = Buffer.from(`${names}\n${rows.map(({ values }) => values.join(',')).join('\n')}\n`);
  const source = (async function* () {
    for (let at = 0; at < text.length; at += 65_536) yield text.subarray(at, at + 65_536);
  })();
  return statisticsOfCsv(source, task).then(({ statistics }) => statistics);
}

/** Milliseconds from the task's coming to the contribution's leaving, as they show on the line. */
async function between(site: Site, owner: number, task: Task, part: Summarise): Promise<number> {
  const from = site.records('owners to data user').length;
  await site.owners[owner]!.contribute(site.dataUser, task.id, part);
  const own = site.records('owners to data user').slice(from);
  const came = own.findIndex(({ direction }) => direction === 'from service');
  const left = own.findIndex(({ direction }, i) => i > came && direction === 'to service');
  const last = own.slice(0, left).findLast(({ direction }) => direction === 'from service')!;
  return own[left]!.at - last.at;
}

/** Half of the owners take the longer part; who sees only times calls the slower half long. */
async function timed(
  setting: Setting,
  count: number,
  part: (long: boolean, rows: readonly SceneRow[]) => Summarise,
): Promise<Trials> {
  const { scene, seed } = setting;
  await using site = await startSite(count, 1);
  const { proposal, cut } = smallTask(scene, { maximumOwners: count, maximumSamplesPerOwner: MANY_ROWS });
  const { task } = await site.client.create(proposal);
  const rows = cut(scene.owners.flat());
  const draws = new Draws(seed);
  const long = draws.shuffled(Array.from({ length: count }, (_, i) => i % 2 === 0));
  const times: number[] = [];
  for (const [owner, isLong] of long.entries())
    times.push(await between(site, owner, task, part(isLong, rows)));
  await site.client.cancelTask(task.id);
  const middle = median(times);
  const attack = times.map((time, i) => Number(time > middle === long[i] || (time === middle && long[i]!)));
  const of = (which: boolean) => times.filter((_, i) => long[i] === which);
  return {
    kind: 'trials',
    attack,
    control: new Array<number>(count).fill(CHANCE),
    chance: true,
    baseline: CHANCE,
    facts: {
      'milliseconds, median of the short': median(of(false)),
      'milliseconds, median of the long': median(of(true)),
    },
  };
}

const contributionTime: Unworded = {
  id: 'network-contribution-time',
  terms: { few: FEW_ROWS, many: MANY_ROWS },
  kind: 'network',
  attacker: 'network',
  secret: 'classes and counts',
  expectation: 'admitted',
  claims: ['S-96', 'S-343'],
  unit: 'owner',
  scenes: ['iris'],
  omits: tooSmall,
  async run(setting) {
    const count = setting.effort === 'quick' ? 6 : 60;
    const outcome = await timed(setting, count, (long, rows) => {
      const own = Array.from({ length: long ? MANY_ROWS : FEW_ROWS }, (_, i) => rows[i % rows.length]!);
      return (task) => reading(own, task);
    });
    const [short, long] = Object.values(outcome.facts!).map(Number);
    return {
      ...outcome,
      facts: {
        ...outcome.facts,
        'microseconds for each row': (1000 * (long! - short!)) / (MANY_ROWS - FEW_ROWS),
      },
    };
  },
};

const plantedDelay: Unworded = {
  ...contributionTime,
  id: 'network-planted-delay',
  expectation: 'control',
  claims: ['S-343'],
  async run({ scene, effort, seed }) {
    const count = effort === 'quick' ? 24 : 40;
    await using site = await startSite(count, 1);
    const { proposal, cut } = smallTask(scene, { maximumOwners: count, maximumSamplesPerOwner: MANY_ROWS });
    const rows = cut(scene.owners.flat()).slice(0, FEW_ROWS);
    return await pairedDelays(count, new Draws(seed), async () => {
      const tasks: Task[] = [];
      for (let turn = 0; turn < 3; turn += 1) tasks.push((await site.client.create(proposal)).task);
      return (owner, turn, delay) =>
        between(site, owner, tasks[turn]!, async (task) => {
          if (delay > 0) await sleep(delay);
          return statisticsOf(task, rows);
        });
    });
  },
};

const PUBLIC_MILLISECONDS = 1000;
const pencil = pencilPaces(FEATURES, [2], false, 1);
const sketch = sketchPaces(FEATURES, COLUMNS, 1);
/** The time that the data user thinks, in public times: one about its matrices together, and a part of one about the numbers before them. */
const WAITS = {
  pca: 1,
  dca: 1 + pencil.contrasts / pencil.whole,
  sketch: 1 + sketch.centring / sketch.whole,
} as const;

/** When the CSP gets each message of the data user, by a made-up clock: milliseconds after its own last. */
async function moments(
  { scene, effort, seed }: Setting,
  { waits = PUBLIC_MILLISECONDS, later = 0 }: { readonly waits?: number; readonly later?: number } = {},
) {
  const runs: { readonly group: string; readonly shape: string }[] = [];
  const early: boolean[] = [];
  const refused = new Set<string>();
  const draws = new Draws(seed);
  const rows = draws.shuffled(scene.owners.flat());
  const parts: Readonly<Record<string, readonly SceneRow[]>> = {
    'rows as they are': rows,
    'equal rows': new Array<SceneRow>(9).fill(rows[0]!),
    'other rows': scene.outsiders.slice(0, rows.length),
    'two rows': rows.slice(0, 2),
  };
  for (const kind of ['pca', 'dca', 'sketch'] as const) {
    const { proposal, cut } = smallTask(scene, { kind, twoParty: 'rotated' });
    const task = agreed(proposal);
    const signs = proposal.sketch && sketchMatrix(new Uint8Array(32), proposal); // public, and so any will do
    for (const own of Object.values(parts)) {
      const statistics = pooledStatistics(proposal, [cut(own), cut(own)], signs);
      for (let again = 0; again < (effort === 'quick' ? 1 : 4); again += 1) {
        const clock = new MadeUpTime();
        // The delay is that of a data user that is slower where there is no result: what the pace is there to hide.
        const late = own.length < 10 ? later : 0;
        const pace: Pace = { milliseconds: waits + late, clock };
        const came: number[] = [];
        const { code } = await runTwoParty(task, statistics, share(task, statistics), {
          onReceive: () => came.push(clock.time),
          dataUser: { pace },
          signs,
        });
        if (code !== undefined) refused.add(code);
        // By this clock thinking takes no time: who does not wait is as early for a result as for a refusal.
        early.push(came.at(-1)! < WAITS[kind] * PUBLIC_MILLISECONDS);
        // A wait wakes up early now and then, so it ends within a step of the clock.
        runs.push({ group: kind, shape: came.map((time) => Math.floor(time / 10)).join(' ') });
      }
    }
  }
  const exceptions = oddOnes(runs).map((differs, i) => differs || early[i]!);
  return exactly(exceptions, 'a moment that differs or is before the public time', {
    facts: { refusals: [...refused].sort().join(', ') },
  });
}

const refusalMoment: Unworded = {
  id: 'network-refusal-moment',
  kind: 'network',
  attacker: 'CSP',
  secret: 'result',
  expectation: 'holds',
  claims: ['S-65', 'S-176', 'S-673'],
  unit: 'run',
  scenes: ['iris'],
  omits: withoutClasses,
  run: (setting) => moments(setting),
};

const plantedMoment: Unworded = {
  ...refusalMoment,
  id: 'network-planted-moment',
  expectation: 'control',
  run: (setting) => moments(setting, { later: 20 }),
};

const plantedHaste: Unworded = {
  ...refusalMoment,
  id: 'network-planted-haste',
  expectation: 'control',
  run: (setting) => moments(setting, { waits: 0 }),
};

const refusalTime: Unworded = {
  ...refusalMoment,
  id: 'network-refusal-time',
  expectation: 'admitted',
  claims: ['S-66', 'S-88'],
  omits: () => undefined,
  async run({ effort }) {
    const [atOnce, atPublicTime] = REFUSALS;
    const count = effort === 'quick' ? 8 : 100;
    const measured = async (operation: Operation) => {
      const { times, classes } = await measureOperation(
        operation,
        count * operation.slowness,
        () => undefined,
      );
      return Array.from(times, (time, i) => ({ time, refused: classes[i] === 1 }));
    };
    const attack = rightCalls(await measured(atPublicTime!));
    return {
      kind: 'trials',
      attack,
      control: new Array<number>(attack.length).fill(CHANCE),
      chance: true,
      baseline: CHANCE,
      facts: { 'right calls without a public time': mean(rightCalls(await measured(atOnce!))) },
    };
  },
};

interface Timed {
  readonly time: number;
  readonly refused: boolean;
}

/** Learns from the first half which are the slower ones and from when on, and calls the second half. */
function rightCalls(all: readonly Timed[]): number[] {
  const half = all.length / 2;
  const [known, other] = [all.slice(0, half), all.slice(half)];
  const timesOf = (which: boolean) =>
    known.filter(({ refused }) => refused === which).map(({ time }) => time);
  const [results, refusals] = [timesOf(false), timesOf(true)];
  if (results.length === 0 || refusals.length === 0) return other.map(() => CHANCE);
  const middle = (median(results) + median(refusals)) / 2;
  const slower = median(refusals) > median(results);
  return other.map(({ time, refused }) => Number((time > middle === slower) === refused));
}

export const TIMES: readonly Unworded[] = [
  contributionTime,
  plantedDelay,
  refusalMoment,
  plantedMoment,
  plantedHaste,
  refusalTime,
];
