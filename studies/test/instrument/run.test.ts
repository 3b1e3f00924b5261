/** The runner: lanes side by side, work that is shared in one of them, what is done again, and what an end leaves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Journal } from '../../instrument/journal.ts';
import { doJobs, type Job } from '../../instrument/run.ts';

const Entry = z.strictObject({
  id: z.string(),
  parameters: z.record(z.string(), z.union([z.number(), z.string()])),
  startedAt: z.iso.datetime(),
  seconds: z.number(),
  came: z.string(),
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-run-test-'));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const journalOf = () =>
  Journal.of(join(folder, 'journal.jsonl'), {}, { description: z.object({}), entry: Entry });
const job = (id: string, together?: string): Job => ({
  ...{ id, title: id, parameters: { id }, expectedSeconds: 1, together },
});
const { signal } = new AbortController();

test('jobs run side by side, those that share work one after the other in one lane', async () => {
  const [atWork, began] = [new Set<string>(), [] as string[]];
  let most = 0;
  const laneOf = new Map<string, number>();
  await doJobs([job('a', 'x'), job('b'), job('c', 'x'), job('d')], {
    ...{ journal: await journalOf(), lanes: 2, signal },
    work: async ({ id }, { lane }) => {
      atWork.add(id);
      began.push(id);
      laneOf.set(id, lane);
      most = Math.max(most, atWork.size);
      expect(atWork.has('a') && atWork.has('c')).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atWork.delete(id);
      return { came: id };
    },
  });
  expect(most).toBe(2);
  expect([...began].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(laneOf.get('a')).toBe(laneOf.get('c'));
});

test('what failed is named, what is to be done again is asked for at the end, and nothing is done twice', async () => {
  const journal = await journalOf();
  const did: string[] = [];
  const doing = {
    ...{ journal, signal },
    work: async ({ id }: Job) => {
      did.push(id);
      if (id === 'bad') throw new Error('it broke');
      return { came: id };
    },
    again: () => (journal.find(job('a'))?.came === 'a' ? [job('a/again')] : []),
  };
  const failures = await doJobs([job('bad'), job('a'), job('b')], doing);
  expect(failures.map(({ job: { id }, why }) => [id, why])).toEqual([['bad', 'it broke']]);
  expect(did).toEqual(['bad', 'a', 'b', 'a/again']);
  await doJobs([job('bad'), job('a'), job('b')], doing);
  expect(did.slice(4)).toEqual(['bad']);
});

test('a run that is stopped keeps what was done before, and begins nothing more', async () => {
  const journal = await journalOf();
  const stopping = new AbortController();
  const failures = await doJobs([job('a'), job('b'), job('c')], {
    ...{ journal, signal: stopping.signal },
    work: async ({ id }) => {
      if (id === 'b') stopping.abort();
      return { came: id };
    },
  });
  expect(failures).toEqual([]);
  expect(['a', 'b', 'c'].map((id) => journal.find(job(id))?.came)).toEqual(['a', undefined, undefined]);
});
