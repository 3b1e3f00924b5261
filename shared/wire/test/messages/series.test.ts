/** The chain of a series: only the very task that renews another is the next one. */
import { newTaskId, Task, TaskProposal } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { digestJson } from '../../src/identity/digest.ts';
import { digestTask } from '../../src/messages/agreement.ts';
import { checkRenewal, linkOf, renewalId, renewalOf } from '../../src/messages/series.ts';

const first = Task.parse({
  ...TaskProposal.parse({
    method: { kind: 'pca' },
    features: ['f0', 'f1', 'f2'].map((name) => ({ name, min: -1, max: 1 })),
    components: 1,
    minimumOwners: 2,
    maximumOwners: 9,
    maximumSamplesPerOwner: 10,
    deadline: '2031-01-01T00:00:00Z',
  }),
  protocol: 'eigenveil/1',
  id: newTaskId(),
  csp: 'c'.repeat(43),
  dataUser: 'd'.repeat(43),
});
const renewed = (task: Task): Task => renewalOf(task, { id: newTaskId(), deadline: '2031-02-01T00:00:00Z' });
const second = renewed(first);
const third = renewed(second);
const refused = (task: Task, before = first) =>
  expect(() => checkRenewal(linkOf(before), task)).toThrow(
    expect.objectContaining({ code: 'ERR_SERIES_INVALID' }),
  );

test('a renewal is the next task, and has what its series has but id and deadline', () => {
  checkRenewal(linkOf(first), second);
  checkRenewal(linkOf(second), third);
  expect(second.series).toEqual({ id: first.id, number: 1, previous: digestTask(first) });
  expect(third.series).toEqual({ id: first.id, number: 2, previous: digestTask(second) });
  expect(Task.parse(JSON.parse(JSON.stringify(third)))).toEqual(third);
});

test('a title is signed: it gives a task another digest, and a renewal has it, too', () => {
  const titled: Task = { ...first, title: 'Heart study' };
  expect(digestTask(titled)).not.toBe(digestTask(first));
  expect(digestTask(Task.parse(titled))).not.toBe(digestTask({ ...titled, title: 'Heart study 2' }));
  expect('title' in Task.parse(first)).toBe(false);
  expect(digestTask(Task.parse({ ...first, title: undefined }))).toBe(digestTask(first));
  checkRenewal(linkOf(titled), renewed(titled));
  expect(renewed(titled).title).toBe('Heart study');
  refused({ ...renewed(titled), title: 'Lungs' }, titled);
  refused({ ...second, title: 'Heart study' });
});

test('a task that renews none has no member and the digest that it always had', () => {
  expect('series' in first).toBe(false);
  expect(Task.safeParse({ ...first, series: undefined }).success).toBe(false);
  expect(linkOf(first)).toMatchObject({ seriesId: first.id, number: 0 });
});

describe('it is not the next task', () => {
  const { series: _, ...without } = second;
  test.each<[string, Task]>([
    ['without a series', without],
    ['of another series', { ...second, series: { ...second.series!, id: newTaskId() } }],
    ['after the next', third],
    ['with a number that jumps', { ...second, series: { ...second.series!, number: 2 } }],
    ['of another branch', { ...second, series: { ...second.series!, previous: digestTask(second) } }],
    ['itself', first],
  ])('%s', (_name, task) => refused(task));

  test('of a branch of the same place', () => {
    const branch = renewalOf(first, { id: newTaskId(), deadline: '2031-03-01T00:00:00Z' });
    checkRenewal(linkOf(first), branch); // nothing tells which of the two is the series: whoever has taken one, refuses the other
    refused(renewed(branch), second);
  });

  test('with any other parameter', () => {
    const common = Object.keys(second).filter((name) => !['id', 'deadline', 'series'].includes(name));
    expect(common.length).toBeGreaterThan(15);
    for (const name of common) refused({ ...second, [name]: 'other' });
    refused({ ...second, closes: ['full'] } as Task);
  });
});

test('its id follows from the task before it and the attempt, and is one', () => {
  const digests = Array.from({ length: 400 }, (_, i) => digestJson('test', i));
  const ids = digests.flatMap((digest) => [renewalId(digest, 0), renewalId(digest, 1)]);
  expect(new Set(ids).size).toBe(800);
  expect(renewalId(digests[0]!, 1)).toBe(ids[1]);
});
