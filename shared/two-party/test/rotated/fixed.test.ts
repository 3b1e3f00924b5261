/** What is the same in every run of an answer before a byte leaves that hides it: two drafts behind the same masks would show how they differ. */
import { expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { Transcript } from '../../src/channel/transcript.ts';
import { LatticeCsp } from '../../src/lattice/csp.ts';
import { LatticeDataUser } from '../../src/lattice/data-user.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import type { ProductSize } from '../../src/lattice/sizes.ts';
import { streamsFrom } from '../../src/oblivious-transfer/randomness.ts';
import { answerRotated } from '../../src/rotated/csp.ts';
import { ROTATED_MESSAGE, writeRing } from '../../src/rotated/messages.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import { drawSecrets } from '../../src/rotated/secrets.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { Kept, runOnce } from './broken-lines.ts';
import { settingOf, spread } from './settings.ts';
import { patterned, sketchSetting } from './sketches.ts';
import { seededBits } from './statistics.ts';

const KEY = new Uint8Array(32);

/** Of each position, in a run whose end has this key. */
function recording() {
  const tags: string[] = [];
  const keep = async (position: number, tag: Uint8Array) => {
    tags[position] = Buffer.from(tag).toString('hex');
    return tag;
  };
  return { tags, transcript: new Transcript(KEY, 'a', { keep }) };
}

it("the CSP's secrets are fixed before its first byte", async () => {
  const { task, program, garbler, evaluator } = settingOf({ rows: spread(20, 3, 3), components: 1 });
  const parameters = rotatedParameters(task);
  const firstTag = async (which: string, changed: 'rotation' | 'none') => {
    const [left, right] = memoryChannelPair();
    const { tags, transcript } = recording();
    const secrets = drawSecrets(parameters, 1, seededBits('fixed'));
    const others = drawSecrets(parameters, 1, seededBits(which));
    const drawn = changed === 'none' ? secrets : { ...secrets, [changed]: others[changed] };
    const end = answerRotated(
      new MessageStream(left, transcript),
      dealtLattice().csp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => drawn,
    );
    const peer = new MessageStream(right);
    writeRing(peer, ROTATED_MESSAGE.owners, [evaluator.shares.at(-1)!], parameters.ringBits);
    await peer.flush();
    await expect.poll(() => tags.length).toBe(1);
    await right.close();
    void end.catch(() => undefined);
    return tags[0];
  };
  expect(await firstTag('fixed', 'rotation')).toBe(await firstTag('fixed', 'none'));
  expect(await firstTag('others', 'rotation')).not.toBe(await firstTag('fixed', 'none'));
});

it("the data user's factor is fixed before the first of its ciphertexts, rows included that it does not carry", async () => {
  const size: ProductSize = {
    ...{ rows: 2, inner: 100, columns: 100, part: 'whole', ringBits: 100, factorBits: 20, rowBits: 24 },
    ...{ errorBits: 40, junkBits: 40, call: 0 },
  };
  const plan = latticePlan([size]);
  expect(plan.products[0]!.packing.ciphertexts).toBeGreaterThan(1);
  const seed = new Uint8Array(32);
  const tagsOf = async (last: bigint) => {
    const [left, right] = memoryChannelPair();
    const { tags, transcript } = recording();
    const factor = Array.from({ length: 100 }, (_, i) => new Array<bigint>(100).fill(i === 99 ? last : 1n));
    const csp = async () => {
      const own = await LatticeCsp.receive(new MessageStream(right), plan, seed, streamsFrom(KEY));
      await own.answer([{ product: 0, factor: () => [factor[0]!, factor[1]!] }]);
    };
    const user = async () => {
      const stream = new MessageStream(left, transcript);
      const own = await LatticeDataUser.open(stream, plan, seed, streamsFrom(KEY));
      await own.multiply([{ product: 0, factor }]);
    };
    await Promise.all([user(), csp()]);
    return tags;
  };
  const [one, same, other] = [await tagsOf(5n), await tagsOf(5n), await tagsOf(6n)];
  expect(same).toEqual(one);
  expect(other[0]).toBe(one[0]); // its key
  expect(other[1]).not.toBe(one[1]);
});

it("the data user's C₁ is fixed before the first of its ciphertexts", async () => {
  const setting = sketchSetting({ rows: patterned(24, 12, 9), columns: 5, components: 1 });
  const ends = { csp: new Kept(), user: new Kept() };
  const first = await runOnce(setting, ends);
  expect(first.user.status).toBe('fulfilled');
  // The shift of the core, and so C₁, is all that this number changes.
  const program = { ...setting.program, featureCount: 13 };
  const other = await runOnce({ ...setting, program }, ends);
  expect(other.user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_ANSWER_DIFFERS' } });
  const [same, all] = [other.bytes.user, first.bytes.user];
  expect(same.length).toBeLessThan(all.length);
  expect(all.subarray(0, same.length).equals(same)).toBe(true);
});
