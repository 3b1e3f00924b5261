/** Sketches that are refused: nothing comes of them, the CSP must not notice, and what it refuses itself leaves it nothing to say. */
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Matrix } from '../../src/rotated/matrices.ts';
import { drawSketchSecrets } from '../../src/rotated/secrets.ts';
import { answerSketch } from '../../src/rotated/sketch/csp.ts';
import { askSketch } from '../../src/rotated/sketch/data-user.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { sketchPaces } from '../../src/rotated/standard-pace.ts';
import { rotated } from '../../src/rotated.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { SKETCH_PRODUCTS } from '../support/views.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type GivenSketch, patterned, sketchSetting } from './sketches.ts';

const fine: GivenSketch = { rows: patterned(40, 14, 12), columns: 8, components: 2 };
const few: GivenSketch = { ...fine, rows: fine.rows.slice(0, 9) };
const flat: GivenSketch = { ...fine, rows: fine.rows.map((row) => row.map(() => 0.25)) };

/** What the data user came to, when it was ready to send, and what it put into its products that it does not share: C₁ and A. */
async function asked(given: GivenSketch, received = (got: bigint[][][]) => got) {
  const { task, program, garbler, evaluator } = sketchSetting({
    ...given,
    task: { maximumSamplesPerOwner: 8 },
  });
  const [left, right] = memoryChannelPair();
  const { csp: atCsp, user: atUser, log } = dealtLattice();
  const moments: number[] = [];
  // Time passes in waits alone.
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const stream = new MessageStream(right);
  const [csp, user] = await Promise.allSettled([
    answerSketch(
      new MessageStream(left),
      atCsp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => drawSketchSecrets(sketchParameters(task, program), systemBits()),
    ),
    askSketch(
      stream,
      () => async (plan) => {
        const products = await atUser()(plan);
        return {
          multiply: async (...asked) => {
            await stream.released(); // as the first byte of these would be
            moments.push(now);
            return received(await products.multiply(...asked));
          },
        };
      },
      { task, program },
      { ...evaluator, pace: { milliseconds: 10_000, clock } },
    ),
  ]);
  const isZero = (matrix: Matrix) => matrix.flat().every((entry) => entry === 0n);
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  const { root, directions } = SKETCH_PRODUCTS;
  return { csp: csp.status, code, zeros: [isZero(log[root]!.user), isZero(log[directions]!.user)], moments };
}

describe('a refused sketch', () => {
  it.each([
    ['as many columns as rows', few, 'ERR_FULL_RANK'],
    ['rows that do not vary', flat, 'ERR_ILL_CONDITIONED'],
  ])('asks for nothing that would tell, after the same times: %s', async (_, given, code) => {
    const outcome = await asked(given);
    expect(outcome).toMatchObject({ csp: 'fulfilled', code, zeros: [true, true] });
    const other = await asked(fine);
    expect(other).toMatchObject({ csp: 'fulfilled', code: undefined, zeros: [false, false] });
    const { whole, ...parts } = sketchPaces(14, 8, 2);
    const part = (milliseconds: number) => Math.ceil((10_000 * milliseconds) / whole);
    const first = part(parts.centring);
    const second = first + part(parts.root);
    const third = second + part(parts.decomposition);
    // A and P K; P A and M. Then G and what C₁ makes of it, P₂ F and M₂. Then the way back, J and the vectors.
    for (const { moments } of [outcome, other])
      expect(moments).toEqual([first, first, second, second, second, third, third, third]);
  });

  it('is one whose components come out as they cannot be', async () => {
    const { task, program } = sketchSetting(fine);
    const high = 0x55n << BigInt(sketchParameters(task, program).vectorRing - 9);
    // Two products of the last call have this number of rows and columns.
    const garbled = (got: bigint[][][]) =>
      got.map((matrix) => (matrix.length === 14 ? matrix.map((row) => row.map((x) => x ^ high)) : matrix));
    expect(await asked(fine, garbled)).toMatchObject({ csp: 'fulfilled', code: 'ERR_ROTATION_CHECK' });
  });

  it.each([
    ['fewer owners than verified', { verifiedOwners: 4 }, {}],
    ['fewer owners than the minimum', {}, { minimumOwners: 4 }],
  ])('is one of %s, before a byte of the CSP', async (_, garbler, program) => {
    const setting = sketchSetting({ ...fine, program });
    const [left, right] = memoryChannelPair();
    const { task, evaluator } = setting;
    const asked = { task, program: setting.program };
    const [csp] = await Promise.allSettled([
      rotated.runCsp(left, asked, { ...setting.garbler, ...garbler, markAnswered: async () => undefined }),
      rotated.runDataUser(right, asked, { ...evaluator, pace: AT_ONCE }),
    ]);
    expect(csp).toMatchObject({ status: 'rejected', reason: { code: 'ERR_OWNER_COUNT' } });
    expect(left.bytesSent).toBe(0);
  });
});
