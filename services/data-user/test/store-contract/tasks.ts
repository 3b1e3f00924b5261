/** The part of the stores' contract about tasks, from the proposal until they are erased. */
import { newTaskId } from '@eigenveil/task';
import { Digest, type OwnerId } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { contribution, other, owner, stored, type Tested, task, taskId, textOf } from './tested.ts';

export function tasksContract(tested: Tested): void {
  test('tasks come back in pages, the one proposed last first', async () => {
    const ids = Array.from({ length: 4 }, newTaskId);
    for (const id of ids) await tested.store.insertTask({ ...task, id });
    await tested.insert(1, 2);
    const all = { before: null, sought: '', limit: 9 };
    const listed = await tested.store.tasks(all);
    expect(listed.map((it) => it.task.id)).toEqual([...ids.toReversed(), taskId]);
    expect(listed.at(-1)).toEqual({ task, state: 'open', contributions: 2 });
    expect(listed[0]).toMatchObject({ state: 'proposed', contributions: 0 });
    const page = await tested.store.tasks({ ...all, before: ids[3]!, limit: 2 });
    expect(page.map((it) => it.task.id)).toEqual([ids[2], ids[1]]);
    expect(await tested.store.tasks({ ...all, before: taskId })).toEqual([]);
  });

  test('tasks are found by a part of the title or of the id, in upper or lower case, page by page', async () => {
    const titles = ['Größe % der Herzen', 'größe_2031', 'Weights', 'ΣΊΣΥΦΟΣ', undefined];
    const ids = titles.map(() => newTaskId());
    for (const [i, title] of titles.entries())
      await tested.store.insertTask({ ...task, id: ids[i]!, ...(title !== undefined && { title }) });
    const found = async (sought: string, before: number | null = null, limit = 9) => {
      const page = { sought, before: before === null ? null : ids[before]!, limit };
      return (await tested.store.tasks(page)).map((it) => ids.indexOf(it.task.id));
    };
    expect(await found('GRÖSSE')).toEqual([]);
    expect(await found('GRÖßE')).toEqual([1, 0]);
    expect(await found('GRO\u0308ßE', null, 1)).toEqual([1]);
    expect(await found('größe', 1)).toEqual([0]);
    expect(await found('σίσυφοσ')).toEqual([]); // the last letter has a form of its own
    expect(await found('σίσυφος')).toEqual([3]);
    expect(await found(ids[4]!.slice(3, 19).toLowerCase())).toEqual([4]);
    // Neither pattern nor code, and not across the id and the title.
    expect(await found('%')).toEqual([0]);
    expect(await found('_2031')).toEqual([1]);
    expect(await found("' OR 1 = 1 --")).toEqual([]);
    expect(await found(`${ids[2]!.slice(-3)}\nweights`)).toEqual([]);
    expect(await found('\u0000\u202e')).toHaveLength(6);
  });

  describe('a task', () => {
    test('closes only with its minimum of contributions, and then stays closed', async () => {
      await tested.insert(1);
      await expect(tested.store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
      expect((await tested.read()).state).toBe('open');
      await tested.insert(2);
      await tested.store.withdraw(taskId, owner(1));
      await expect(tested.store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
      await tested.insert(3);
      await tested.store.closeTask(taskId);
      await tested.store.closeTask(taskId);
      expect((await tested.read()).state).toBe('closed');
      await expect(tested.store.closeTask(other)).rejects.toMatchObject({ code: 'ERR_TASK_UNKNOWN' });
    });

    test('closes by itself only when what it says has come, with its minimum, and once', async () => {
      const id = newTaskId();
      const deadline = '2026-01-02T00:00:00.000Z';
      const [before, after] = [new Date(deadline), new Date('2026-01-02T00:00:00.001Z')];
      const told = { ...task, id, deadline, closes: ['deadline' as const] };
      const contribute = (...numbers: number[]) =>
        tested.store.insertContributions(
          id,
          numbers.map((i) => contribution(i)),
        );
      await tested.store.insertTask(told);
      expect(await tested.store.closingTasks()).toEqual([]);
      await tested.store.openTask(id, 'agreement');
      expect(await tested.store.closingTasks()).toEqual([{ task: told, state: 'open', contributions: 0 }]);
      await contribute(1);
      expect(await tested.store.closeTask(id, after)).toBe(false);
      await contribute(2, 3);
      expect(await tested.store.closeTask(id, before)).toBe(false); // full, but that is not what it says
      await tested.store.setActivity(id, { waiting: { code: 'ERR_BUSY', message: 'why' } });
      expect(await tested.store.closeTask(id, after)).toBe(true);
      expect(await tested.store.task(id)).toMatchObject({ state: 'closed', activity: {} });
      expect(await tested.store.closeTask(id, after)).toBe(false);
      expect(await tested.store.closingTasks()).toEqual([]);

      const full = newTaskId();
      await tested.store.insertTask({ ...told, id: full, closes: ['full'] });
      await tested.store.openTask(full, 'agreement');
      const two = [1, 2].map((i) => contribution(i));
      await tested.store.insertContributions(full, two);
      expect(await tested.store.closeTask(full, after)).toBe(false);
      await tested.store.insertContributions(full, [contribution(3)]);
      expect(await tested.store.closeTask(full, before)).toBe(true);
      await tested.insert(1, 2, 3);
      expect(await tested.store.closeTask(taskId, after)).toBe(false); // says nothing
    });

    test('moves on from the state it is in, and from no other', async () => {
      expect(await tested.store.advance(taskId, 'closed', { to: 'blinded' })).toBe(false);
      expect((await tested.read()).state).toBe('open');
    });

    test('keeps what a stage left and adds up its timings, until it is final', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      const [sealedBlinding, blinded] = [Buffer.from('blinding'), Buffer.from('blinded')];
      const timing = { stage: 'aggregate', milliseconds: 2 };
      await tested.store.advance(taskId, 'closed', { to: 'blinded', sealedBlinding, blinded, timing });
      await tested.store.advance(taskId, 'blinded', { to: 'unblinded', timing });
      expect(textOf(await tested.store.drawn(taskId, 'sealedBlinding'))).toBe('blinding');
      expect(textOf(await tested.store.drawn(taskId, 'blinded'))).toBe('blinded');
      expect((await tested.read()).timings).toEqual({ aggregate: 4 });
      await tested.store.advance(taskId, 'unblinded', { to: 'done', projection: 'projection' });
      expect(await tested.read()).toMatchObject({ state: 'done', projection: 'projection' });
      expect(await tested.store.state(taskId)).toBe('done');
      expect(await tested.store.drawn(taskId, 'sealedBlinding')).toBeNull();
      expect(await tested.store.drawn(taskId, 'blinded')).toBeNull();
    });

    test('keeps when it came to which state, whatever moved it there', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      await tested.store.closeTask(taskId);
      const { entered: before } = await tested.read();
      await tested.store.advance(taskId, 'closed', { to: 'blinded' });
      await tested.store.advance(taskId, 'closed', { to: 'failed' });
      const { entered, ...watched } = (await tested.store.watched(taskId))!;
      expect(entered).toEqual({ ...before, blinded: expect.any(String) });
      expect(Object.keys(entered)).toEqual(expect.arrayContaining(['proposed', 'open', 'closed', 'blinded']));
      expect((await tested.read()).entered).toEqual(entered);
      const times = [entered.proposed, entered.open, entered.closed, entered.blinded].map((it) =>
        new Date(it!).toISOString(),
      );
      expect(times.toSorted()).toEqual(times);
      expect(watched).toMatchObject({
        task,
        state: 'blinded',
        contributions: 2,
        lastSequence: 2,
        timings: {},
      });
    });

    test('keeps what gets known of its provenance; the projection of one that has not come to it is destroyed', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      const projectionDigest = Digest.parse('d'.repeat(43));
      await tested.store.advance(taskId, 'closed', {
        to: 'unblinded',
        provenance: { statement: 'statement' },
      });
      await tested.store.advance(taskId, 'unblinded', {
        to: 'decomposed',
        projection: 'projection',
        provenance: { projectionDigest },
      });
      expect(await tested.read()).toMatchObject({
        projection: 'projection',
        provenance: { statement: 'statement', projectionDigest },
      });
      await tested.store.advance(taskId, 'decomposed', { to: 'cancelled' });
      expect(await tested.read()).toMatchObject({ projection: null, provenance: { projectionDigest } });
      expect(await tested.store.taskOfProjection(projectionDigest)).toBeUndefined();
    });

    test('is found by the digest of its projection once it is done, and not before', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      const projectionDigest = Digest.parse('e'.repeat(43));
      await tested.store.advance(taskId, 'closed', {
        to: 'decomposed',
        projection: 'projection',
        provenance: { projectionDigest },
      });
      expect(await tested.store.taskOfProjection(projectionDigest)).toBeUndefined();
      await tested.store.advance(taskId, 'decomposed', { to: 'done' });
      expect(await tested.store.taskOfProjection(projectionDigest)).toEqual(await tested.read());
      expect(await tested.store.taskOfProjection(Digest.parse('f'.repeat(43)))).toBeUndefined();
    });

    test('gives the contributions that count in the order of their owners, also when it is over', async () => {
      await tested.insert(3, 1, 2);
      await tested.store.withdraw(taskId, owner(2));
      await tested.insert(4);
      const of = async (...page: [OwnerId | '', number]) =>
        (await tested.store.contributions(taskId, ...page)).map(({ ownerId }) => ownerId);
      expect(await of('', 9)).toEqual([1, 3, 4].map(owner));
      expect(await of('', 2)).toEqual([1, 3].map(owner));
      expect(await of(owner(1), 9)).toEqual([3, 4].map(owner));
      await tested.store.advance(taskId, 'open', { to: 'cancelled' });
      while (await tested.store.eraseContributions(taskId, 9));
      expect(await tested.store.contributions(taskId, owner(3), 9)).toEqual([
        { ownerId: owner(4), contributionDigest: stored(4).digest },
      ]);
    });

    test('has what is sealed changed in place, unless it is destroyed meanwhile', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      await tested.store.advance(taskId, 'closed', { to: 'blinded', sealedBlinding: Buffer.from('old') });
      const places: string[] = [];
      const note = (place: string, sealed: Uint8Array) => {
        places.push(`${place} ${textOf(sealed)}`);
        return sealed;
      };
      expect(await tested.store.reseal(note)).toBe(0);
      expect(await tested.store.reseal(() => Buffer.from('new'))).toBe(1);
      expect(textOf(await tested.store.drawn(taskId, 'sealedBlinding'))).toBe('new');
      await tested.store.advance(taskId, 'blinded', { to: 'cancelled' });
      expect(await tested.store.reseal(note)).toBe(0);
      expect(places).toEqual([`data-user/tasks/${taskId}/blinding old`]);
    });

    test('keeps one answer while it is unblinded, and no seed or tag of it afterwards', async () => {
      const [seed, tag] = [Buffer.from('seed'), Buffer.from('tag')];
      const { store } = tested;
      await tested.insert(1, 2);
      await store.closeTask(taskId);
      expect(await store.keepSeed(taskId, seed)).toBeUndefined();
      await store.advance(taskId, 'closed', { to: 'unblinded' });
      expect(await store.keepTag(taskId, 0, tag)).toBeUndefined();
      expect(await store.countRun(taskId)).toBe(0);
      expect(textOf((await store.keepSeed(taskId, seed))!)).toBe('seed');
      expect(textOf((await store.keepSeed(taskId, Buffer.from('other')))!)).toBe('seed');
      const together = ['tag', 'other'].map((text) => store.keepTag(taskId, 0, Buffer.from(text)));
      const kept = (await Promise.all(together)).map((it) => textOf(it!));
      expect(new Set(kept).size).toBe(1);
      expect(textOf((await store.keepTag(taskId, 1, tag))!)).toBe('tag');
      expect([await store.countRun(taskId), await store.countRun(taskId)]).toEqual([1, 2]);
      expect(await store.reseal(() => Buffer.from('new'))).toBe(1);
      expect(textOf((await store.keepSeed(taskId, seed))!)).toBe('new');
      await store.advance(taskId, 'unblinded', { to: 'decomposed' });
      expect(await store.keepSeed(taskId, seed)).toBeUndefined();
      expect(await store.keepTag(taskId, 1, tag)).toBeUndefined();
      expect(await store.reseal(() => Buffer.from('newer'))).toBe(0);
    });

    test('is unfinished until it is final and the CSP knows, except while it is open', async () => {
      await tested.store.insertTask({ ...task, id: other });
      expect(await tested.store.unfinishedTasks()).toEqual([other]);
      await tested.store.advance(other, 'proposed', { to: 'failed' });
      await tested.store.markEndedAtCsp(other);
      expect(await tested.store.unfinishedTasks()).toEqual([]);
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      expect(await tested.store.unfinishedTasks()).toEqual([taskId]);
      await tested.store.advance(taskId, 'closed', { to: 'cancelled' });
      expect(await tested.store.unfinishedTasks()).toEqual([taskId]);
      await tested.store.markEndedAtCsp(taskId);
      expect(await tested.store.unfinishedTasks()).toEqual([]);
    });

    test('tells what it does, and counts its faults', async () => {
      const waiting = { code: 'ERR_INTERNAL', message: 'internal error' } as const;
      await tested.store.setActivity(taskId, { waiting });
      expect((await tested.read()).activity).toEqual({ waiting });
      expect([await tested.store.addFault(taskId), await tested.store.addFault(taskId)]).toEqual([1, 2]);
      expect((await tested.read()).faults).toBe(2);
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      await tested.store.advance(taskId, 'closed', { to: 'blinded' });
      expect((await tested.read()).activity).toEqual({});
    });

    test('remembers how far the records were sent, and never less', async () => {
      expect((await tested.read()).recordsSent).toBe(0);
      await tested.store.noteRecordsSent(taskId, 7);
      await tested.store.noteRecordsSent(taskId, 5);
      expect((await tested.read()).recordsSent).toBe(7);
    });

    test('is opened once, and only if nobody has given it up', async () => {
      expect(await tested.store.openTask(taskId, 'another agreement')).toBe(false);
      expect((await tested.read()).agreement).toBe('agreement');
      const other = newTaskId();
      await tested.store.insertTask({ ...task, id: other });
      await tested.store.advance(other, 'proposed', { to: 'failed' });
      expect(await tested.store.openTask(other, 'agreement')).toBe(false);
      expect((await tested.store.task(other))!.state).toBe('failed');
    });

    test('tells nothing that comes when it is over for good', async () => {
      const waiting = { code: 'ERR_INTERNAL', message: 'internal error' } as const;
      await tested.store.advance(taskId, 'open', { to: 'cancelled' });
      await tested.store.setActivity(taskId, { waiting });
      expect((await tested.read()).activity).toEqual({ waiting });
      await tested.store.markEndedAtCsp(taskId);
      await tested.store.setActivity(taskId, { waiting });
      expect((await tested.read()).activity).toEqual({});
    });

    test('is erased piece by piece once it is final; who has contributed stays known', async () => {
      await tested.insert(1, 2, 3);
      await expect(tested.store.eraseContributions(taskId, 2)).rejects.toThrow(
        'expected a final task, got open',
      );
      await tested.store.closeTask(taskId);
      const batch = { number: 0, first: 1, last: 256 };
      await tested.store.completeBatch(taskId, { batch, contributions: 3, bytes: Buffer.from('product') });
      await tested.store.advance(taskId, 'closed', { to: 'cancelled' });
      expect(await tested.store.eraseContributions(taskId, 2)).toBe(true);
      expect(await tested.store.records(taskId, 0, 9)).toHaveLength(1);
      while (await tested.store.eraseContributions(taskId, 2));
      expect(await tested.store.records(taskId, 0, 9)).toEqual([]);
      expect(await tested.store.ciphertexts(taskId, 0, 9, 9)).toEqual([]);
      expect(await tested.store.partialProducts(taskId, -1, 9)).toEqual([]);
      expect(await tested.store.contribution(taskId, owner(1))).toEqual(stored(1));
    });
  });
}
