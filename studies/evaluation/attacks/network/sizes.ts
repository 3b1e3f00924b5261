/** The knowledge that lengths give: the same public parameters must give the same lengths, whatever the rows are and whatever comes out. */
import type { Statistics } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, statisticsOf } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { exactly, oddOnes } from '../in-process/exact.ts';
import { agreed, type SmallTask, smallTask, withoutClasses } from '../in-process/small-task.ts';
import { runTwoParty, share } from '../in-process/two-party.ts';
import { type Observed, type Summarise, startSite } from './site.ts';
import type { SeenRecord } from './tls-records.ts';

const OWNERS = 3;
/** Short: when things are sent is another experiment's. */
const ANSWER_MILLISECONDS = 20;

type Rows = readonly (readonly SceneRow[])[];

/** Rows by owner for tasks with the same public parameters, by what is odd about them. */
function variants(scene: Scene, draws: Draws): Readonly<Record<string, Rows>> {
  const all = draws.shuffled(scene.owners.flat());
  const deal = (rows: readonly SceneRow[]) =>
    Array.from({ length: OWNERS }, (_, owner) => rows.filter((_row, i) => i % OWNERS === owner));
  const labelOf = ({ labels }: SceneRow) => labels[scene.utilityLabel!]!;
  const byClass = all.toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
  const third = Math.ceil(byClass.length / OWNERS);
  return {
    'rows as they are': deal(all),
    'equal rows, which are refused': deal(new Array<SceneRow>(3 * OWNERS).fill(all[0]!)),
    'a tenth of the rows': deal(all.slice(0, Math.max(4 * OWNERS, Math.ceil(all.length / 10)))),
    'owners that lack classes': [0, 1, 2].map((owner) => byClass.slice(owner * third, (owner + 1) * third)),
    'other rows': deal(draws.shuffled(scene.outsiders).slice(0, all.length)),
    'an owner with two rows': [all.slice(0, 2), ...deal(all.slice(2)).slice(1)],
    'one class alone': deal(all.filter((row) => labelOf(row) === labelOf(all[0]!))),
  };
}

/** The number of variants when time is short: the first, and they differ most. */
const FEW = 4;

const chosen = ({ scene, effort, seed }: Setting): [name: string, rows: Rows][] =>
  Object.entries(variants(scene, new Draws(seed))).slice(0, effort === 'quick' ? FEW : undefined);

const TASKS = [
  ['pca', 'rotated'],
  ['pca', 'garbled'],
  ['dca', 'garbled'],
  ['dca', 'rotated'],
] as const;

/** A task of this kind over the scene; its bound has room for all rows at one owner. */
function taskOf(scene: Scene, [kind, twoParty]: (typeof TASKS)[number]): SmallTask {
  return smallTask(scene, { kind, twoParty });
}

/** Bytes of each stretch that went one way. */
function stretches(records: readonly SeenRecord[]): string {
  const lengths: number[] = [];
  let last: SeenRecord['direction'] | undefined;
  for (const { direction, bytes } of records) {
    if (direction === last) lengths[lengths.length - 1]! += bytes;
    else lengths.push(bytes);
    last = direction;
  }
  return lengths.join(' ');
}

/** Both directions of a connection on which either end may speak at any time. */
const totals = (records: readonly SeenRecord[]) =>
  ['to service', 'from service']
    .map((way) => records.reduce((sum, { direction, bytes }) => sum + (direction === way ? bytes : 0), 0))
    .join(' ');

/** The shape has every stretch of requests; the two-party connection is the one with most bytes. */
function shapeAtCsp({ seen }: Observed): string {
  const records = seen['data user to CSP'];
  const bytesOf = new Map<number, number>();
  for (const { connection, bytes } of records)
    bytesOf.set(connection, (bytesOf.get(connection) ?? 0) + bytes);
  const [twoParty] = [...bytesOf].reduce((most, own) => (own[1] > most[1] ? own : most));
  const [own, others] = [true, false].map((is) =>
    records.filter((it) => (it.connection === twoParty) === is),
  );
  return `${stretches(others!)} / ${totals(own!)}`;
}

const summing =
  ({ cut }: SmallTask, rows: readonly SceneRow[]): Summarise =>
  async (task: Task): Promise<Statistics> =>
    statisticsOf(task, cut(rows));

/**
 * Rows that change a length change it each time. On a slow machine a connection may be opened again, or an answer overtake another: that does not come
 * again, so what differs is run once more, twice at most, and counts if it still does.
 */
const TRIES = 2;
const AGAIN = 'runs that differed and were run again';

interface Shape {
  readonly group: string;
  readonly shape: string;
}

/** The shape of each group that came most often. */
export function usualShapes(runs: readonly Shape[]): ReadonlyMap<string, string> {
  return new Map(
    [...Map.groupBy(runs, ({ group }) => group)].map(([group, own]) => {
      const counts = [...Map.groupBy(own, ({ shape }) => shape)];
      return [group, counts.reduce((most, one) => (one[1].length > most[1].length ? one : most))[0]];
    }),
  );
}

const DIFFERENT_LENGTH = 'a length that differs';

const COMMON = {
  kind: 'network',
  unit: 'run',
  scenes: ['iris'],
  omits: withoutClasses,
} as const satisfies Partial<Unworded>;

const lines: Unworded = {
  ...COMMON,
  id: 'network-lengths',
  attacker: 'network',
  secret: 'classes and counts',
  expectation: 'holds',
  claims: ['S-12', 'S-63', 'S-64', 'S-341'],
  async run(setting) {
    await using site = await startSite(OWNERS, ANSWER_MILLISECONDS);
    // The other's key, which a service asks for once, is no part of a task.
    const warm = smallTask(setting.scene, { twoParty: 'simulated' });
    const rows = setting.scene.owners[0]!;
    await site.run(warm.proposal, new Array<Summarise>(2).fill(summing(warm, rows)));
    const runs: Shape[] = [];
    const facts: Record<string, number | string> = { [AGAIN]: 0 };
    for (const kind of TASKS.slice(0, setting.effort === 'quick' ? 1 : undefined)) {
      const small = taskOf(setting.scene, kind);
      const observe = async ([name, parts]: [name: string, rows: Rows]): Promise<Shape[]> => {
        setting.note(`${kind.join(' by ')}: ${name}`);
        const observed = await site.run(
          small.proposal,
          parts.map((part) => summing(small, part)),
        );
        const { state, failure } = observed.status;
        if (failure) facts[`${kind.join(' by ')}, ${name}`] = failure.code;
        // A result that is refused looks like another to the CSP; owners are told.
        return [
          { group: `CSP, ${kind}`, shape: shapeAtCsp(observed) },
          { group: `owners, ${kind}, ${state}`, shape: stretches(observed.seen['owners to data user']) },
        ];
      };
      const every = chosen(setting);
      const seen: Shape[][] = [];
      for (const variant of every) seen.push(await observe(variant));
      const usual = usualShapes(seen.flat());
      for (const [i, variant] of every.entries()) {
        for (
          let tries = 0;
          tries < TRIES && seen[i]!.some((it) => usual.get(it.group) !== it.shape);
          tries += 1
        ) {
          facts[AGAIN] = Number(facts[AGAIN]) + 1;
          seen[i] = await observe(variant);
        }
      }
      runs.push(...seen.flat());
    }
    return exactly(oddOnes(runs), DIFFERENT_LENGTH, { facts });
  },
};

const messages: Unworded = {
  ...COMMON,
  id: 'network-two-party-lengths',
  attacker: 'CSP',
  secret: 'result',
  expectation: 'holds',
  claims: ['S-12', 'S-33', 'S-63', 'S-64'],
  async run(setting) {
    const runs: { readonly group: string; readonly shape: string }[] = [];
    const refused = new Set<string>();
    for (const kind of setting.effort === 'quick' ? TASKS.slice(0, 2) : TASKS) {
      const small = taskOf(setting.scene, kind);
      const task = agreed(small.proposal);
      const note = (group: string, watched: Awaited<ReturnType<typeof runTwoParty>>) => {
        const { fromCsp, fromDataUser, closing, code } = watched;
        const lengths = [fromCsp, fromDataUser].map((sent) => sent.map(({ length }) => length).join(' '));
        runs.push({ group, shape: `${lengths.join(' / ')} / ${closing}` });
        if (code !== undefined) refused.add(code);
      };
      for (const [name, parts] of chosen(setting)) {
        setting.note(`${kind.join(' by ')}: ${name}`);
        const statistics = pooledStatistics(
          small.proposal,
          parts.map((part) => small.cut(part)),
        );
        for (let again = 0; again < (setting.effort === 'quick' ? 1 : 2); again += 1)
          note(kind.join(), await runTwoParty(task, statistics, share(task, statistics)));
        // The garbled circuit checks the number of owners; in `rotated` the CSP does, and knows.
        if (task.twoParty === 'garbled' && name === 'rows as they are')
          note(
            kind.join(),
            await runTwoParty(task, statistics, share(task, statistics), { verifiedOwners: 2 }),
          );
      }
    }
    if (refused.size === 0) throw new Error('expected rows whose result is refused among the others');
    return exactly(oddOnes(runs), DIFFERENT_LENGTH, { facts: { refusals: [...refused].sort().join(', ') } });
  },
};

export const SIZES: readonly Unworded[] = [lines, messages];
