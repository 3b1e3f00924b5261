/**
 * Which task an owner takes for the next of a series: by what its home has kept and the CSP has signed,
 * whatever the data user says.
 *
 * @claims S-575, S-577, S-578
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { newTaskId, type Task, type TaskId } from '@eigenveil/task';
import { linkOf, renewalOf } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OwnerHome } from '../../src/owner/home.ts';
import { brokenRules, OwnerPolicy, requireUnbroken } from '../../src/owner/policy.ts';
import { enter, newestAfter, placeOf } from '../../src/owner/series.ts';

const HOUR = 3_600_000;
const START = Date.parse('2030-01-01T00:00:00Z');
const RULE = { most: 4, shortestIntervalHours: 24 };

const first: Task = madeUpTask('pca', 3, { id: newTaskId(), releases: 5 });
const renewed = (task: Task, changes: Partial<Task> = {}): Task => ({
  ...renewalOf(task, { id: newTaskId(), deadline: '2031-01-01T00:00:00Z' }),
  ...changes,
});
const second = renewed(first);
const third = renewed(second);
const fourth = renewed(third);

let folder: string;
let home: OwnerHome;
let series: readonly Task[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-series-'));
  home = new OwnerHome(folder);
  series = [first, second, third, fourth];
});
afterEach(() => rm(folder, { recursive: true }));

let asked = 0;
const nextOf = async (id: TaskId) => {
  asked += 1;
  return series[series.findIndex((task) => task.id === id) + 1] ?? null;
};
type Rule = NonNullable<OwnerPolicy['series']>;
async function placeAt(task: Task, hours: number, rule: Rule | null = RULE) {
  const entries = await home.series.entries(linkOf(task).seriesId);
  const place = await placeOf(task, entries, rule ?? undefined, {
    now: new Date(START + hours * HOUR),
    nextOf,
  });
  return { entries, ...place };
}
async function contribute(task: Task, hours: number, rule?: Rule) {
  const { entries, entry, broken } = await placeAt(task, hours, rule);
  requireUnbroken(broken);
  if (entry !== undefined) await enter(home.series, entries.length, entry);
  return entry?.number;
}
const refused = (task: Task, hours: number, code: string, rule?: Rule) =>
  expect(contribute(task, hours, rule)).rejects.toMatchObject({ code });

test('an owner contributes to one task after the other, and to each as often as it takes', async () => {
  expect(await contribute(first, 0)).toBe(0);
  expect(await contribute(first, 0)).toBeUndefined();
  expect(await contribute(second, 24)).toBe(1);
  expect(await contribute(second, 24)).toBeUndefined();
  expect(await contribute(third, 48)).toBe(2);
  expect(await contribute(first, 48)).toBeUndefined();
  expect((await new OwnerHome(folder).series.entries(first.id)).map(({ taskId }) => taskId)).toEqual([
    first.id,
    second.id,
    third.id,
  ]);
});

test('it may have missed some, whose chain is checked', async () => {
  await contribute(first, 0);
  expect(await contribute(fourth, 24)).toBe(3);
  await refused(third, 100, 'ERR_SERIES_INVALID'); // it is over
});

test('it may come later than others', async () => {
  expect(await contribute(third, 0)).toBe(2);
  await refused(second, 24, 'ERR_SERIES_INVALID');
});

describe('refused is', () => {
  beforeEach(() => contribute(first, 0));

  test('a second branch, at once and later', async () => {
    const branch = renewed(first);
    const after = renewed(branch);
    const last = renewed(after);
    await contribute(second, 24);
    await refused(branch, 48, 'ERR_SERIES_INVALID');
    await refused(after, 48, 'ERR_SERIES_INVALID');
    series = [first, second, after, last];
    await refused(last, 48, 'ERR_SERIES_INVALID'); // the chain that the data user shows has a gap
    series = [first, second];
    await refused(last, 48, 'ERR_SERIES_INVALID');
  });

  test('another task of the same number, and one with other parameters', async () => {
    await refused(renewed(first, { components: 2 }), 24, 'ERR_SERIES_INVALID');
    await refused(renewed(first, { minimumOwners: 2 }), 24, 'ERR_SERIES_INVALID');
    await refused({ ...second, series: { ...second.series!, number: 2 } }, 24, 'ERR_SERIES_INVALID');
  });

  test('what comes before the shortest interval is over, also where the clock goes back', async () => {
    await refused(second, 23.9, 'ERR_POLICY');
    await refused(second, -100, 'ERR_POLICY');
    await contribute(second, 24);
    await refused(third, 47.9, 'ERR_POLICY');
  });

  test('one by rotated', async () => {
    const rotated: Task = { ...first, id: newTaskId(), twoParty: 'rotated' };
    await contribute(rotated, 0);
    await refused(renewed(rotated), 24, 'ERR_POLICY');
  });
});

test('the sum of epsilon is kept, whatever came of the tasks', async () => {
  const guarantee = { epsilon: 0.5, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1 } as const;
  const rest = { noise: 'servers', honestOwners: null, dataIndependentRanges: true } as const;
  const one: Task = { ...first, id: newTaskId(), differentialPrivacy: { ...guarantee, ...rest } };
  const two = renewed(one);
  const three = renewed(two);
  const rule = { ...RULE, totalEpsilon: 1 };
  await contribute(one, 0, rule);
  await contribute(two, 24, rule);
  await refused(three, 48, 'ERR_POLICY', rule);
  expect(await contribute(three, 48, { ...rule, totalEpsilon: 1.5 })).toBe(2);
});

test('what is refused says which policy would take it, and from when it is taken', async () => {
  const guarantee = { epsilon: 2, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1 } as const;
  const rest = { noise: 'servers', honestOwners: null, dataIndependentRanges: true } as const;
  const other: Task = { ...first, id: newTaskId(), differentialPrivacy: { ...guarantee, ...rest } };
  const next = renewed(other);
  series = [other, next];
  await contribute(other, 0, { ...RULE, totalEpsilon: 2 });
  const rule = { ...RULE, most: 1, totalEpsilon: 2 };
  const { broken } = await placeAt(next, 1, rule);
  expect(broken.map((it) => String(it.rule))).toEqual([
    '"series" goes on no sooner than 2030-01-02T00:00:00.000Z, by the shortest interval',
    '"series" has a sum of ε of 4 with this task, but your policy allows at most 2',
  ]);
  expect(broken.map(({ change }) => change)).toEqual([
    { series: { most: 2, shortestIntervalHours: 1, totalEpsilon: 2 } },
    { series: { most: 2, shortestIntervalHours: 1, totalEpsilon: 4 } },
  ]);
  const taken = broken.at(-1)!.change.series!;
  expect((await placeAt(next, 1, taken)).broken).toEqual([]);
  const [without] = (await placeAt(first, 0, { ...RULE, totalEpsilon: 1 })).broken;
  expect(String(without?.rule)).toContain('"series" has a task without "differentialPrivacy"');
  expect(without?.change).toEqual({ series: RULE });
  // A consent that the policy does not have yet is offered with the hours that have passed, in one step.
  const [asked] = (await placeAt(next, 1, null)).broken;
  expect(String(asked?.rule)).toBe('your last contribution to "series" was 2030-01-01T00:00:00.000Z');
  expect(asked?.change).toEqual({ series: { most: 2, shortestIntervalHours: 1 } });
  expect((await placeAt(next, 1, asked!.change.series!)).broken).toEqual([]);
  const late = { ...next, deadline: '2030-01-01T20:00:00.000Z' };
  expect((await placeAt(late, 1, rule)).broken.map((it) => String(it.rule))[0]).toMatch(
    /deadline of this task/,
  );
  // No interval is short enough for a clock that was put back.
  expect((await placeAt(next, -1, taken)).broken.map(({ change }) => change)).toEqual([{}]);
});

test('of two processes that contribute to two branches at once, one does', async () => {
  await contribute(first, 0);
  const both = await Promise.allSettled([contribute(second, 24), contribute(renewed(first), 24)]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await home.series.entries(first.id)).toHaveLength(2);
});

test('the newest task is looked for no further than the policy takes', async () => {
  expect(await newestAfter(linkOf(first), 9, nextOf)).toEqual(fourth);
  asked = 0;
  expect(await newestAfter(linkOf(first), 3, nextOf)).toEqual(third);
  expect(asked).toBe(2);
  expect(await newestAfter(linkOf(fourth), 9, nextOf)).toBeNull();
});

describe('the policy', () => {
  const rules = (rule: OwnerPolicy['series'], task: Task) =>
    brokenRules(
      OwnerPolicy.parse({
        minimumOwners: 2,
        minimumKeyBits: 1024,
        allowFullRank: true,
        twoParty: [first.twoParty],
        series: rule,
      }),
      task,
    ).map((it) => Object.keys(it.change)[0]);

  test('takes no renewal without its consent, and the first task as it always did', () => {
    expect(rules(undefined, first)).toEqual([]);
    expect(rules(undefined, second)).toEqual(['series']);
    expect(rules(RULE, second)).toEqual([]);
  });

  test('takes so many, and with a total only under a guarantee', () => {
    expect(rules(RULE, fourth)).toEqual([]);
    expect(rules(RULE, renewed(fourth))).toEqual(['series']);
    expect(rules({ ...RULE, totalEpsilon: 3 }, second)).toEqual(['series']);
  });

  test('names what would take the task', () => {
    for (const rule of [undefined, { ...RULE, most: 2 }, { ...RULE, totalEpsilon: 3 }]) {
      const policy = OwnerPolicy.parse({
        minimumKeyBits: 1024,
        allowFullRank: true,
        twoParty: [first.twoParty],
        series: rule,
      });
      const broken = brokenRules(policy, fourth);
      expect(broken.length).toBeGreaterThan(0);
      const changed = Object.assign({}, policy, ...broken.map(({ change }) => change)) as unknown;
      const { series: rest } = OwnerPolicy.parse(changed);
      expect(rules(rest, fourth)).toEqual([]);
    }
  });
});
