import { CodedError } from '@eigenveil/platform';
import { TaskProgress, WaitingCode } from '@eigenveil/wire/console';
import { CODES } from '@eigenveil/wire/errors';
import { expect, test } from 'vitest';
import type { Followed } from '../../src/console/follow.ts';
import { arrivalPoints, boundsDrawn } from '../../src/console/task/arrivals.ts';
import { renewalRequest } from '../../src/console/task/renewal-request.ts';
import { contributionWords, freshnessWords, waitingWords } from '../../src/console/words.ts';

const time = (minute: number) => `2030-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

function progressOf(changes: object, status: object = {}): TaskProgress {
  return TaskProgress.parse({
    at: time(30),
    status: {
      taskId: 'A'.repeat(22),
      state: 'open',
      contributions: 2,
      differentialPrivacy: null,
      timings: {},
      waitsFor: { who: 'owners', code: 'contributions' },
      ...status,
    },
    minimumOwners: 3,
    maximumOwners: 10,
    deadline: '2030-02-01T00:00:00Z',
    arrivals: [
      { at: time(5), contributions: 1 },
      { at: time(10), contributions: 2 },
    ],
    refused: [],
    stages: [{ state: 'open', startedAt: time(1), endedAt: null, milliseconds: null }],
    computation: null,
    ...changes,
  });
}

const shown = (progress: TaskProgress) =>
  arrivalPoints(progress).map(({ at, contributions }) => [new Date(at).toISOString(), contributions]);

test('contributions go from the opening until now, or until the task was closed', () => {
  expect(shown(progressOf({}))).toEqual([
    [time(1), 0],
    [time(5), 1],
    [time(10), 2],
    [time(30), 2],
  ]);
  const closed = [
    { state: 'open', startedAt: time(1), endedAt: time(12), milliseconds: null },
    { state: 'closed', startedAt: time(12), endedAt: null, milliseconds: null },
  ];
  expect(shown(progressOf({ stages: closed }, { state: 'closed' })).at(-1)).toEqual([time(12), 2]);
});

test('where the opening is not known they begin with the first, and without any there is nothing to draw', () => {
  expect(shown(progressOf({ stages: [] }))[0]).toEqual([time(5), 1]);
  expect(shown(progressOf({ stages: [], arrivals: [] }))).toEqual([]);
});

test('a bound far above what there is is not drawn', () => {
  expect(boundsDrawn(3, 10, 3).map(({ name }) => name)).toEqual(['minimum', 'maximum']);
  expect(boundsDrawn(3, 10_000, 3).map(({ name }) => name)).toEqual(['minimum']);
});

test('bounds that are one number share a line, and close ones are named on either side', () => {
  expect(boundsDrawn(10, 10, 4)).toEqual([{ name: 'minimum and maximum', value: 10, isNamedBelow: false }]);
  expect(boundsDrawn(9, 10, 4)).toEqual([
    { name: 'minimum', value: 9, isNamedBelow: true },
    { name: 'maximum', value: 10, isNamedBelow: false },
  ]);
  expect(boundsDrawn(5, 10, 4).map(({ isNamedBelow }) => isNamedBelow)).toEqual([false, false]);
});

test('every state that a task can wait in has a sentence of its own, which no new contribution changes', () => {
  const sentences = WaitingCode.options.map((code) =>
    waitingWords(progressOf({}, { waitsFor: { who: 'csp', code } })),
  );
  expect(new Set(sentences).size).toBe(WaitingCode.options.length);
  for (const code of WaitingCode.options) {
    const waitsFor = { who: 'owners', code } as const;
    const now = waitingWords(progressOf({}, { waitsFor }));
    expect(waitingWords(progressOf({}, { waitsFor, contributions: 9 }))).toBe(now);
  }
  expect(contributionWords(progressOf({}))).toBe('2 contributions; at least 3, at most 10');
});

test('a line that is lost is called so, and what a service answers by what it means: neither by its code', () => {
  const broken = (error: unknown): Followed<null> => ({
    update: null,
    state: 'broken',
    heardAt: null,
    error,
  });
  const told = (error: unknown) => freshnessWords('The task', broken(error));
  expect(told(null)).toBe('Connection lost. Retrying…');
  expect(told(new CodedError(CODES.ERR_PEER_TIMEOUT, 'late'))).toBe('Connection lost. Retrying…');
  expect(told(new CodedError(CODES.ERR_RATE_LIMITED, 'often'))).toBe('Too many requests. Retrying…');
  const seen = { ...broken(null), update: 1, heardAt: new Date(time(5)) };
  expect(freshnessWords('The task', seen)).toBe(
    'Connection lost. Nothing was heard from the data user since 2030-01-01 00:05:00 UTC, so what you see may be out of date. Retrying…',
  );
});

test('a deadline of a renewal is in the future, or left to the data user', () => {
  const now = new Date(time(5));
  expect(renewalRequest('  ', now)).toEqual({});
  expect(renewalRequest(' 2030-01-01T00:06:00Z ', now)).toEqual({ deadline: '2030-01-01T00:06:00Z' });
  expect(renewalRequest('2030-01-01T00:05:00Z', now)).toBe('Expected a time in the future.');
  for (const text of ['tomorrow', '2031-01-01', '2031-02-30T00:00:00Z', '2031-01-01T00:00:00+01:00'])
    expect(renewalRequest(text, now)).toBe('Expected a date and time in UTC, such as 2027-01-01T00:00:00Z.');
});
