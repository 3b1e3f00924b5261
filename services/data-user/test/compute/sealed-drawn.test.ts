/** What is drawn once for a task is read as it was, by the widths of its task, and lies in no more bytes than these. */
import { randomBytes } from 'node:crypto';
import { systemRandomness } from '@eigenveil/privacy';
import { draw } from '@eigenveil/protocol/servers';
import { Sealer } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { sealDrawn, withDrawn } from '../../src/compute/sealed-drawn.ts';
import { blindingPlace } from '../../src/store/store.ts';

const sealer = new Sealer(randomBytes(32));
const taskOf = (changes: object = {}): Task => ({
  ...TaskProposal.parse({
    method: { kind: 'pca' },
    features: ['one', 'other', 'third'].map((name) => ({ name, min: 0, max: 10 })),
    components: 2,
    allowFullRank: true,
    minimumOwners: 2,
    maximumOwners: 4,
    maximumSamplesPerOwner: 10,
    twoParty: 'garbled',
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    ...changes,
  }),
  protocol: 'eigenveil/1',
  id: newTaskId(),
  csp: 'A'.repeat(43) as Task['csp'],
  dataUser: 'A'.repeat(43) as Task['dataUser'],
});

describe.each([
  ['noise of a floor', { exact: false }],
  ['no noise', { exact: true }],
])('%s', (_, changes) => {
  const task = taskOf(changes);
  const open = { task, packing: layout(task) };
  const drawn = draw(open, systemRandomness);
  const lists = ({ blinding, noise }: typeof drawn) => [[...blinding], [...noise]];

  test('is read as it was drawn, and is overwritten then', () => {
    const sealed = sealDrawn(sealer, open, drawn);
    let seen: typeof drawn | undefined;
    const read = withDrawn(sealer, open, sealed, (found) => {
      seen = found;
      return lists(found);
    });
    expect(read).toEqual(lists(drawn));
    expect(seen!.noise.bytes.every((byte) => byte === 0)).toBe(true);
    expect([...seen!.blinding].every((value) => value === 0n)).toBe(true);
  });

  test('is as long however large it is', () => {
    const other = draw(open, systemRandomness);
    const length = sealDrawn(sealer, open, other).length;
    expect(sealDrawn(sealer, open, drawn).length).toBe(length);
  });

  test.each([0, 1, -1])('of another length (%i bytes more) or another task is refused', (more) => {
    const bytes = new Uint8Array(drawn.blinding.bytes.length + drawn.noise.bytes.length + more).fill(1);
    const sealed = sealer.seal(blindingPlace(task.id), bytes);
    const read = () => withDrawn(sealer, open, sealed, lists);
    if (more === 0) expect(read).not.toThrow();
    else expect(read).toThrow(expect.objectContaining({ code: 'ERR_ENCODING_INVALID' }));
    expect(() => withDrawn(sealer, { ...open, task: taskOf(changes) }, sealed, lists)).toThrow(
      expect.objectContaining({ code: 'ERR_SEAL_BROKEN' }),
    );
  });
});
