/**
 * A line that breaks at any message: the run after it is the same answer, byte for byte, and who then sends
 * something else gets none.
 *
 * @claims S-41, S-58, S-185, S-187, S-302
 */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { LATTICE_MESSAGE } from '../../src/lattice/messages.ts';
import { OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import { ROTATED_MESSAGE } from '../../src/rotated/messages.ts';
import { placeOf } from '../support/views.ts';
import {
  Careless,
  type Cut,
  type End,
  type Ends,
  Forgetful,
  Kept,
  runOnce,
  Uncounting,
  Unending,
} from './broken-lines.ts';
import { dca, labelled, pencilSetting } from './pencils.ts';
import type { Setting } from './settings.ts';
import { settingOf, spread } from './settings.ts';
import { patterned, sketchSetting } from './sketches.ts';

const PCA = settingOf({ rows: spread(40, 3, 3), components: 1 });
const pencil = () => pencilSetting({ ...labelled(24, 4, 2), method: dca(0.1), components: 1 });
const sketch = () =>
  sketchSetting({
    ...{ rows: patterned(24, 8, 9), columns: 3, components: 1 },
    signs: Int32Array.from({ length: 8 * 3 }, (_, i) => ((i * i) % 7 < 3 ? 1 : -1)),
  });
const correlation = () =>
  settingOf({
    rows: spread(20, 5, 7),
    components: 1,
    program: { outputs: ['sampleCount', 'spectrum', 'variances'] },
    task: { method: { kind: 'pca', scale: 'correlation' }, maximumSamplesPerOwner: 16 },
  });

const seeds = () => ({ csp: randomBytes(32), user: randomBytes(32) });
const endsOf = ({ csp, user }: ReturnType<typeof seeds>): Ends => ({
  csp: new Kept(csp),
  user: new Kept(user),
});

const isPrefix = (part: Buffer, all: Buffer) => all.subarray(0, part.length).equals(part);

/** `count` of the numbers from 0 up to `all`, evenly. */
const some = (all: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * all) / count));

async function whole(setting: Setting, drawn: ReturnType<typeof seeds>) {
  const ends = endsOf(drawn);
  const run = await runOnce(setting, ends);
  if (run.user.status === 'rejected') throw run.user.reason;
  return { ...run, ends };
}

/** An answer of a PCA to which nothing happens: most tests compare with it what comes of the same seeds when something does. */
const DRAWN = seeds();
let answer: Awaited<ReturnType<typeof whole>>;
beforeAll(async () => {
  answer = await whole(PCA, DRAWN);
});

/** Cuts runs at one message each, at most so many of either end, and looks at the run that follows. */
async function cutEverywhere(
  setting: Setting,
  most = Number.POSITIVE_INFINITY,
  which: readonly End[] = ['csp', 'user'],
) {
  const drawn = seeds();
  const undisturbed = await whole(setting, drawn);
  const cuts = which.flatMap((end): Cut[] =>
    some(undisturbed.messages[end], Math.min(most, undisturbed.messages[end])).map((message) => ({
      end,
      message,
    })),
  );
  for (const cut of cuts) {
    const ends = endsOf(drawn);
    const broken = await runOnce(setting, ends, cut);
    expect([broken.csp.status, broken.user.status], JSON.stringify(cut)).toContain('rejected');
    for (const end of ['csp', 'user'] as const)
      expect(isPrefix(broken.bytes[end], undisturbed.bytes[end])).toBe(true);
    const resumed = await runOnce(setting, ends);
    expect(resumed.bytes.csp.equals(undisturbed.bytes.csp), JSON.stringify(cut)).toBe(true);
    expect(resumed.bytes.user.equals(undisturbed.bytes.user)).toBe(true);
    expect(resumed.user).toEqual(undisturbed.user);
    expect(ends.csp.isGivenUp).toBe(false);
  }
  return { cuts: cuts.length, undisturbed };
}

describe('a line that is cut', () => {
  it.each([
    ['a PCA', () => PCA, 2, ['csp', 'user']],
    ['a pencil', pencil, 1, ['csp']],
  ] as const)('at messages of %s leaves one answer', async (_, settingOf, most, which) => {
    expect((await cutEverywhere(settingOf(), most, which)).cuts).toBe(most * which.length);
  });

  it.each([
    ['many messages of a PCA', () => PCA, 12],
    ['many messages of a pencil', pencil, 12],
    ['many messages of a sketch', sketch, 12],
    ['many messages of a correlation matrix', correlation, 30],
  ] as const)('at %s leaves one answer', { tags: ['long'] }, async (_, settingOf, most) => {
    const { cuts } = await cutEverywhere(settingOf(), most);
    expect(cuts).toBeGreaterThan(20);
  });

  it('again and again leaves one answer', { tags: ['long'] }, async () => {
    const ends = endsOf(DRAWN);
    for (const message of [9, 3, answer.messages.csp - 1]) await runOnce(PCA, ends, { end: 'csp', message });
    expect((await runOnce(PCA, ends)).user).toEqual(answer.user);
  });
});

it('answers of other seeds are others', async () => {
  const other = await whole(PCA, seeds());
  expect(other.bytes.csp.equals(answer.bytes.csp)).toBe(false);
  expect(other.bytes.user.equals(answer.bytes.user)).toBe(false);
});

it('an answer takes few durable writes, however large it is', { tags: ['long'] }, async () => {
  const { ends } = await whole(settingOf({ rows: spread(40, 8, 3), components: 4 }), seeds());
  expect(ends.csp.tags).toHaveLength(6);
  expect(ends.user.tags.length).toBeLessThan(10);
  const { ends: ofPencil } = await whole(pencil(), seeds());
  expect(ofPencil.csp.tags).toHaveLength(9);
  expect(ofPencil.user.tags.length).toBeLessThan(16);
});

describe('who deviates in a run that is resumed', () => {
  /** What the other end sends to somebody who has other shares than in the run before, or none of its own any more. */
  async function against(honest: End, changed: (setting: Setting) => Setting, cut: Cut) {
    const ends = endsOf(DRAWN);
    await runOnce(PCA, ends, cut);
    const { matrices } = ends.csp;
    const deviating =
      honest === 'csp'
        ? { ...ends, user: new Careless(DRAWN.user) }
        : { ...ends, csp: new Careless(DRAWN.csp) };
    const run = await runOnce(changed(PCA), deviating);
    expect(run[honest]).toMatchObject({
      status: 'rejected',
      reason: { code: 'ERR_ANSWER_DIFFERS' },
    });
    // A prefix of the one transcript, and less than all of it: no other answer, and no other bytes under the same secrets.
    expect(isPrefix(run.bytes[honest], answer.bytes[honest])).toBe(true);
    expect(run.bytes[honest].length).toBeLessThan(answer.bytes[honest].length);
    return { run, ends, matrices };
  }
  /** Before an end's last frame leaves. */
  const last = (end: End): Cut => ({ end, message: answer.messages[end] - 1 });
  /** T + X for an X of its choice. */
  const others = (setting: Setting, which: 'garbler' | 'evaluator'): Setting => ({
    ...setting,
    [which]: {
      ...setting[which],
      shares: setting[which].shares.with(0, setting[which].shares[0]! ^ 1n),
    },
  });

  it('a data user with other shares gets no second matrix, and no run after', async () => {
    const { run, ends, matrices } = await against(
      'csp',
      (setting) => others(setting, 'evaluator'),
      last('csp'),
    );
    expect(matrices).toBe(1);
    expect(ends.csp.matrices).toBe(1);
    expect(ends.csp.isGivenUp).toBe(true);
    expect(run.user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_ANSWER_DIFFERS' } });
  });

  it.each([
    ['it counts as an answer', Kept, 1],
    ['also where that cannot be written down', Uncounting, 0],
  ])('a data user whose guess fails a check gets no run after: %s', async (_, Csp, marks) => {
    const place = placeOf(answer.frames.user, ROTATED_MESSAGE.owners);
    const ends = { csp: new Csp(DRAWN.csp), user: new Kept(DRAWN.user) };
    const run = await runOnce(PCA, ends, undefined, (end, bytes, i) => {
      if (end === 'user' && i === place.frame) bytes[place.at]! ^= 1;
    });
    const reason = marks > 0 ? { code: 'ERR_OWNER_COUNT' } : { message: 'no disk' };
    expect(run.csp).toMatchObject({ status: 'rejected', reason });
    expect(ends.csp.isGivenUp).toBe(true);
    expect(ends.csp.matrices).toBe(marks);
  });

  /** A guess in a message of the data user, whose failure the CSP cannot write down; and another run after it. */
  async function guessTwice(setting: Setting, type: number, which = 0) {
    const drawn = seeds();
    const { frames } = await whole(setting, drawn);
    const place = placeOf(frames.user, type, which);
    const ends = { csp: new Forgetful(drawn.csp), user: new Kept(drawn.user) };
    const guess = (end: End, bytes: Uint8Array, i: number) => {
      if (end === 'user' && i === place.frame) bytes[place.at]! ^= 1;
    };
    const run = await runOnce(setting, ends, undefined, guess);
    expect(run.csp).toMatchObject({ status: 'rejected', reason: { message: 'no disk' } });
    const restarted = Object.assign(new Kept(drawn.csp), { tags: ends.csp.tags });
    const another = await runOnce(setting, { csp: restarted, user: new Kept(drawn.user) });
    expect(another.csp).toMatchObject({ status: 'rejected', reason: { code: 'ERR_ANSWER_DIFFERS' } });
    expect(another.bytes.csp.equals(run.bytes.csp)).toBe(true);
  }

  it('a data user has one guess at the number of owners, even where its failure cannot be written down', async () => {
    await guessTwice(PCA, ROTATED_MESSAGE.owners);
  });

  it("and at the transfers of a circuit's inputs", { tags: ['long'] }, async () => {
    await guessTwice(correlation(), OT_MESSAGE.extension);
  });

  it('a data user whose proof of form does not hold is told so, and gets nothing that depends on a mask', async () => {
    const place = placeOf(answer.frames.user, LATTICE_MESSAGE.proof);
    const ends = endsOf(DRAWN);
    const run = await runOnce(PCA, ends, undefined, (end, bytes, i) => {
      if (end === 'user' && i === place.frame) bytes[place.at]! ^= 1;
    });
    expect(run.csp).toMatchObject({ status: 'rejected', reason: { code: 'ERR_CHANNEL_MESSAGE' } });
    expect([ends.csp.matrices, ends.csp.isGivenUp]).toEqual([0, false]);
    const after = await runOnce(PCA, ends);
    expect(after.user).toEqual(answer.user);
  });

  it('a CSP with other shares gets nothing of the data user that it had not', async () => {
    await against('user', (setting) => others(setting, 'garbler'), last('csp'));
  });

  it.each([
    ['csp', 'evaluator'],
    ['user', 'garbler'],
  ] as const)('over many lines at once gets one transcript of the %s', async (honest, peer) => {
    const kept = new Unending(DRAWN[honest]);
    const deviating = { csp: new Careless(DRAWN.csp), user: new Careless(DRAWN.user) };
    const lines = [PCA, others(PCA, peer)];
    const runs = await Promise.all(lines.map((line) => runOnce(line, { ...deviating, [honest]: kept })));
    const sent = runs.map(({ bytes }) => bytes[honest]).sort((a, b) => a.length - b.length);
    for (const [i, bytes] of sent.entries()) expect(isPrefix(bytes, sent.at(i + 1) ?? bytes)).toBe(true);
    const ended = runs.filter((run) => run[honest].status === 'rejected');
    expect(ended).toHaveLength(1);
    for (const run of ended) expect(run[honest]).toMatchObject({ reason: { code: 'ERR_ANSWER_DIFFERS' } });
  });

  for (const [places, count, tags] of [
    ['in messages', 3, []],
    ['in many messages', 40, ['long']],
  ] as const)
    it(`a data user that changes a byte ${places} is ended, unless nothing can come of it`, {
      tags: [...tags],
    }, async () => {
      const codes = new Set<string>();
      for (const message of some(answer.messages.user, count)) {
        const ends = endsOf(DRAWN);
        await runOnce(PCA, ends, { end: 'csp', message: answer.messages.csp - 1 });
        const deviating = { ...ends, user: new Careless(DRAWN.user) };
        const run = await runOnce(PCA, deviating, undefined, (end, bytes, i) => {
          if (end === 'user' && i === message) bytes[bytes.length >> 1]! ^= 1;
        });
        if (run.csp.status === 'fulfilled') throw new Error(`answered although message ${message} differed`);
        codes.add(run.csp.reason.code);
        expect(isPrefix(run.bytes.csp, answer.bytes.csp)).toBe(true);
      }
      expect(codes).toContain('ERR_ANSWER_DIFFERS');
    });
});
