/** The part of the stores' contract about contributions that come in pieces. */
import { Digest } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { codesOf, contribution, other, owner, stored, type Tested, taskId, textOf } from './tested.ts';

const OTHER_DIGEST = Digest.parse('x'.repeat(43));

export function uploadsContract(tested: Tested): void {
  const add = (i: number, number: number, changes: { digest?: Digest; text?: string } = {}) =>
    tested.store.addPiece(taskId, {
      ownerId: owner(i),
      digest: changes.digest ?? contribution(i).digest,
      number,
      bytes: Buffer.from(changes.text ?? `piece ${number} of ${i}`),
    });
  const piece = async (i: number, number: number) => {
    const upload = await tested.store.upload(taskId, owner(i));
    const bytes = upload && (await tested.store.uploadedPiece(upload.id, number));
    return bytes && textOf(bytes);
  };
  /** Hands in an owner's pieces, and makes a contribution of them. */
  const contribute = async (i: number, pieces: number) => {
    for (let number = 0; number < pieces; number += 1) await add(i, number);
    const { id } = (await tested.store.upload(taskId, owner(i)))!;
    const made = { ...contribution(i, ''), uploadId: id };
    return (await tested.store.insertContributions(taskId, [made]))[0];
  };

  describe('an upload', () => {
    test('grows piece by piece, and a repeated piece changes nothing', async () => {
      expect(await tested.store.upload(taskId, owner(1))).toBeUndefined();
      expect(await add(1, 0)).toBe(1);
      expect(await add(1, 1)).toBe(2);
      expect(await add(1, 0, { text: 'changed' })).toBe(2);
      expect(await tested.store.upload(taskId, owner(1))).toMatchObject({
        digest: contribution(1).digest,
        pieces: 2,
      });
      expect([await piece(1, 0), await piece(1, 1), await piece(1, 2)]).toEqual([
        'piece 0 of 1',
        'piece 1 of 1',
        undefined,
      ]);
      expect(await tested.store.contribution(taskId, owner(1))).toBeUndefined();
    });

    test('takes no piece before its turn', async () => {
      await expect(add(1, 1)).rejects.toMatchObject({ code: 'ERR_CONTRIBUTION_INCOMPLETE' });
      await add(1, 0);
      await expect(add(1, 2)).rejects.toMatchObject({ code: 'ERR_CONTRIBUTION_INCOMPLETE' });
      await expect(add(1, 1, { digest: OTHER_DIGEST })).rejects.toMatchObject({
        code: 'ERR_CONTRIBUTION_INCOMPLETE',
      });
    });

    test('of another digest takes the place of the one before, which no contribution can be of any more', async () => {
      await add(1, 0);
      await add(1, 1);
      const before = (await tested.store.upload(taskId, owner(1)))!;
      expect(await add(1, 0, { digest: OTHER_DIGEST, text: 'anew' })).toBe(1);
      expect(await tested.store.upload(taskId, owner(1))).toMatchObject({ digest: OTHER_DIGEST, pieces: 1 });
      expect([await piece(1, 0), await piece(1, 1)]).toEqual(['anew', undefined]);
      expect(await tested.store.uploadedPiece(before.id, 0)).toBeUndefined();
      const made = { ...contribution(1, ''), uploadId: before.id };
      expect(codesOf(await tested.store.insertContributions(taskId, [made]))).toEqual([
        'ERR_CONTRIBUTION_INCOMPLETE',
      ]);
      expect(await tested.read()).toMatchObject({ contributions: 0 });
    });

    test('is refused where its contribution would be', async () => {
      await tested.insert(2, 3, 4);
      await expect(add(1, 0)).rejects.toMatchObject({ code: 'ERR_TASK_FULL' });
      await tested.store.withdraw(taskId, owner(2));
      await expect(add(2, 0)).rejects.toMatchObject({ code: 'ERR_CONTRIBUTION_WITHDRAWN' });
      expect(await add(3, 0)).toBe(0); // its contribution is there
      await expect(add(3, 0, { digest: OTHER_DIGEST })).rejects.toMatchObject({
        code: 'ERR_CONTRIBUTION_CONFLICT',
      });
      await tested.store.keepRevocations({ number: 1, issuedAt: '2026-01-01T00:00:00.000Z' }, [owner(5)]);
      await expect(add(5, 0)).rejects.toMatchObject({ code: 'ERR_OWNER_REVOKED' });
      await tested.store.closeTask(taskId);
      await expect(add(1, 0)).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
      const unknown = { ownerId: owner(1), digest: OTHER_DIGEST, number: 0, bytes: Buffer.from('x') };
      await expect(tested.store.addPiece(other, unknown)).rejects.toMatchObject({ code: 'ERR_TASK_UNKNOWN' });
    });

    test('becomes a contribution, whose ciphertexts come piece by piece', async () => {
      expect(await contribute(1, 2)).toEqual(stored(1));
      expect(await contribute(2, 2)).toEqual(stored(2));
      const texts = async (number: number) =>
        (await tested.store.ciphertexts(taskId, 0, 9, 9, number)).map(({ bytes }) => textOf(bytes));
      expect([await texts(0), await texts(1), await texts(2)]).toEqual([
        ['piece 0 of 1', 'piece 0 of 2'],
        ['piece 1 of 1', 'piece 1 of 2'],
        [],
      ]);
      expect(await tested.store.ciphertexts(taskId, 1, 2, 9, 0)).toMatchObject([{ sequence: 2 }]);
      const { id } = (await tested.store.upload(taskId, owner(1)))!;
      await tested.store.dropUpload(id); // not that of a contribution
      expect(await piece(1, 1)).toBe('piece 1 of 1');
    });

    test('is gone once it was dropped, its owner has withdrawn or is revoked', async () => {
      await add(1, 0);
      await tested.store.dropUpload((await tested.store.upload(taskId, owner(1)))!.id);
      await add(2, 0);
      await tested.store.withdraw(taskId, owner(2));
      await contribute(3, 2);
      await tested.store.keepRevocations({ number: 1, issuedAt: '2026-01-01T00:00:00.000Z' }, [owner(3)]);
      expect(await tested.store.dropRevoked(taskId)).toBe(1);
      for (const i of [1, 2, 3]) expect(await tested.store.upload(taskId, owner(i))).toBeUndefined();
      expect(await tested.store.ciphertexts(taskId, 0, 9, 9, 0)).toEqual([]);
    });

    test('ends with its task, whether it was complete or not', async () => {
      await contribute(1, 2);
      await add(2, 0);
      const ids = await Promise.all(
        [1, 2].map(async (i) => (await tested.store.upload(taskId, owner(i)))!.id),
      );
      await tested.store.advance(taskId, 'open', { to: 'cancelled' });
      for (let rounds = 0; await tested.store.eraseContributions(taskId, 9); rounds += 1)
        expect(rounds).toBeLessThan(3);
      for (const id of ids) expect(await tested.store.uploadedPiece(id, 0)).toBeUndefined();
      expect(await tested.store.contribution(taskId, owner(1))).toEqual(stored(1));
    });
  });

  test('a partial product in pieces is stored as a whole, and read piece by piece', async () => {
    await contribute(1, 2);
    await contribute(2, 2);
    await tested.store.closeTask(taskId);
    const batch = { number: 0, first: 1, last: 2 };
    const pieces = ['one', 'two'].map((text) => Buffer.from(text));
    const product = { batch, contributions: 2, bytes: null, pieces };
    await expect(tested.store.completeBatch(taskId, { ...product, contributions: 1 })).rejects.toThrow(
      'to mark',
    );
    expect(await tested.store.completeBatch(taskId, product)).toBe(true);
    const empty = { batch: { number: 1, first: 3, last: 4 }, contributions: 0, bytes: null, pieces: [] };
    expect(await tested.store.completeBatch(taskId, empty)).toBe(true);
    const texts = async (piece: number) =>
      (await tested.store.partialProducts(taskId, -1, 9, piece)).map(({ bytes }) => textOf(bytes));
    expect([await texts(0), await texts(1)]).toEqual([
      ['one', null],
      ['two', null],
    ]);
  });
}
