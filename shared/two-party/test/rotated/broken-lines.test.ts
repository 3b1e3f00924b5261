/** A line that breaks at any message: the run after it is the same answer, byte for byte, and who then sends something else gets none. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
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

const pca = () => settingOf({ rows: spread(40, 3, 3), components: 1 });
const pencil = () => pencilSetting({ ...labelled(24, 5, 3), method: dca(0.1), components: 1 });
const sketch = () => sketchSetting({ rows: patterned(24, 12, 9), columns: 5, components: 1 });
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

/** Cuts runs at one message each, at most so many of either end, and looks at the run that follows. */
async function cutEverywhere(setting: Setting, most = Number.POSITIVE_INFINITY) {
  const drawn = seeds();
  const undisturbed = await whole(setting, drawn);
  const cuts = (['csp', 'user'] as const).flatMap((end): Cut[] =>
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
  it('at any message of a PCA leaves one answer', async () => {
    const { cuts, undisturbed } = await cutEverywhere(pca());
    expect(cuts).toBe(undisturbed.messages.csp + undisturbed.messages.user);
    expect(cuts).toBeGreaterThan(20);
  });

  it('at messages of a pencil leaves one answer', async () => {
    await cutEverywhere(pencil(), 3);
  });

  it('at messages of a sketch leaves one answer', async () => {
    await cutEverywhere(sketch(), 3);
  });

  it('at many messages of a sketch leaves one answer', { tags: ['long'] }, async () => {
    await cutEverywhere(sketch(), 12);
  });

  it('at messages of a correlation matrix leaves one answer', async () => {
    await cutEverywhere(correlation(), 2);
  });

  it('at any message of a pencil leaves one answer', { tags: ['long'] }, async () => {
    await cutEverywhere(pencil());
  });

  it('at many messages of a correlation matrix leaves one answer', { tags: ['long'] }, async () => {
    await cutEverywhere(correlation(), 30);
  });

  it('again and again leaves one answer', async () => {
    const setting = pca();
    const drawn = seeds();
    const undisturbed = await whole(setting, drawn);
    const ends = endsOf(drawn);
    for (const message of [9, 3, 10, 10]) await runOnce(setting, ends, { end: 'csp', message });
    expect((await runOnce(setting, ends)).user).toEqual(undisturbed.user);
  });
});

it('answers of other seeds are others', async () => {
  const setting = pca();
  const [one, other] = [await whole(setting, seeds()), await whole(setting, seeds())];
  expect(one.bytes.csp.equals(other.bytes.csp)).toBe(false);
  expect(one.bytes.user.equals(other.bytes.user)).toBe(false);
});

it('an answer takes few durable writes, however large it is', async () => {
  const { ends } = await whole(settingOf({ rows: spread(40, 12, 3), components: 4 }), seeds());
  expect(ends.csp.tags).toHaveLength(8);
  expect(ends.user.tags.length).toBeLessThan(10);
  const { ends: ofPencil } = await whole(pencil(), seeds());
  expect(ofPencil.csp.tags).toHaveLength(12);
  expect(ofPencil.user.tags.length).toBeLessThan(16);
});

describe('who deviates in a run that is resumed', () => {
  /** What the other end sends to somebody who has other shares than in the run before, or none of its own any more. */
  async function against(honest: End, changed: (setting: Setting) => Setting, cut: Cut) {
    const setting = pca();
    const drawn = seeds();
    const undisturbed = await whole(setting, drawn);
    const ends = endsOf(drawn);
    await runOnce(setting, ends, cut);
    const { matrices } = ends.csp;
    const deviating =
      honest === 'csp'
        ? { ...ends, user: new Careless(drawn.user) }
        : { ...ends, csp: new Careless(drawn.csp) };
    const run = await runOnce(changed(setting), deviating);
    expect(run[honest]).toMatchObject({
      status: 'rejected',
      reason: { code: 'ERR_ANSWER_DIFFERS' },
    });
    // A prefix of the one transcript, and less than all of it: no other answer, and no other bytes under the same secrets.
    expect(isPrefix(run.bytes[honest], undisturbed.bytes[honest])).toBe(true);
    expect(run.bytes[honest].length).toBeLessThan(undisturbed.bytes[honest].length);
    return { undisturbed, run, ends, matrices };
  }
  const last = (end: End): Cut => ({ end, message: end === 'csp' ? 10 : 17 });
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
    const drawn = seeds();
    const ends = { csp: new Csp(drawn.csp), user: new Kept(drawn.user) };
    const guess = (end: End, bytes: Uint8Array, i: number) => {
      if (end !== 'user' || i !== 9) return;
      const middle = bytes.length >> 1;
      for (let at = middle; at < middle + 512; at += 2) bytes[at]! ^= 1; // the CSP uses some of them only
    };
    const run = await runOnce(pca(), ends, undefined, guess);
    const reason = marks > 0 ? { code: 'ERR_PRODUCT_CHECK' } : { message: 'no disk' };
    expect(run.csp).toMatchObject({ status: 'rejected', reason });
    expect(ends.csp.isGivenUp).toBe(true);
    expect(ends.csp.matrices).toBe(marks);
  });

  // The number of owners, the answers to both challenges; the transfers of the circuit's inputs.
  it.each([
    ['a PCA', pca, [0, 10, -1]],
    ['a correlation matrix', correlation, [2]],
  ] as const)(
    'a data user has one guess at each check of %s, even where its failure cannot be written down',
    async (_, settingOf, messages) => {
      const setting = settingOf();
      const drawn = seeds();
      const all = (await whole(setting, drawn)).messages.user;
      for (const message of messages) {
        const ends = { csp: new Forgetful(drawn.csp), user: new Kept(drawn.user) };
        const guess = (end: End, bytes: Uint8Array, i: number) => {
          if (end === 'user' && i === (message + all) % all) bytes[bytes.length >> 1]! ^= 1;
        };
        const run = await runOnce(setting, ends, undefined, guess);
        expect(run.csp, `${message}`).toMatchObject({ status: 'rejected', reason: { message: 'no disk' } });
        const restarted = Object.assign(new Kept(drawn.csp), { tags: ends.csp.tags });
        const another = await runOnce(setting, { csp: restarted, user: new Kept(drawn.user) });
        expect(another.csp, `${message}`).toMatchObject({
          status: 'rejected',
          reason: { code: 'ERR_ANSWER_DIFFERS' },
        });
        expect(another.bytes.csp.equals(run.bytes.csp)).toBe(true);
      }
    },
  );

  it('a CSP with other shares gets nothing of the data user that it had not', async () => {
    await against('user', (setting) => others(setting, 'garbler'), last('csp'));
  });

  it.each([
    ['csp', 'evaluator'],
    ['user', 'garbler'],
  ] as const)('over many lines at once gets one transcript of the %s', async (honest, peer) => {
    const setting = pca();
    const drawn = seeds();
    const kept = new Unending(drawn[honest]);
    const deviating = { csp: new Careless(drawn.csp), user: new Careless(drawn.user) };
    const lines = [setting, others(setting, peer), setting, others(setting, peer)];
    const runs = await Promise.all(lines.map((line) => runOnce(line, { ...deviating, [honest]: kept })));
    const sent = runs.map(({ bytes }) => bytes[honest]).sort((a, b) => a.length - b.length);
    for (const [i, bytes] of sent.entries()) expect(isPrefix(bytes, sent.at(i + 1) ?? bytes)).toBe(true);
    const ended = runs.filter((run) => run[honest].status === 'rejected');
    expect(ended).toHaveLength(2);
    for (const run of ended) expect(run[honest]).toMatchObject({ reason: { code: 'ERR_ANSWER_DIFFERS' } });
  });

  it('a data user that changes a byte anywhere is ended, unless nothing can come of it', async () => {
    const setting = pca();
    const drawn = seeds();
    const undisturbed = await whole(setting, drawn);
    const codes = new Set<string>();
    for (let message = 0; message < undisturbed.messages.user; message += 4) {
      const ends = endsOf(drawn);
      await runOnce(setting, ends, { end: 'csp', message: undisturbed.messages.csp - 1 });
      const run = await runOnce(
        setting,
        { ...ends, user: new Careless(drawn.user) },
        undefined,
        (end, bytes, i) => {
          if (end === 'user' && i === message) bytes[bytes.length >> 1]! ^= 1;
        },
      );
      if (run.csp.status === 'fulfilled') throw new Error(`answered although message ${message} differed`);
      codes.add(run.csp.reason.code);
      expect(isPrefix(run.bytes.csp, undisturbed.bytes.csp)).toBe(true);
    }
    expect(codes).toContain('ERR_ANSWER_DIFFERS');
  });
});
