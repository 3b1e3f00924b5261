/** Sketches that are refused: nothing comes of them, the CSP must not notice, and what it refuses itself leaves it nothing to say. */
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Matrix } from '../../src/rotated/matrices.ts';
import { ROTATED_MESSAGE } from '../../src/rotated/messages.ts';
import { drawSketchSecrets } from '../../src/rotated/secrets.ts';
import { answerSketch } from '../../src/rotated/sketch/csp.ts';
import { askSketch } from '../../src/rotated/sketch/data-user.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { sketchPaces } from '../../src/rotated/standard-pace.ts';
import { rotated } from '../../src/rotated.ts';
import { clearProductsBothWays } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type GivenSketch, patterned, sketchSetting } from './sketches.ts';

const fine: GivenSketch = { rows: patterned(40, 14, 12), columns: 8, components: 2 };
const few: GivenSketch = { ...fine, rows: fine.rows.slice(0, 9) };
const flat: GivenSketch = { ...fine, rows: fine.rows.map((row) => row.map(() => 0.25)) };

/** What the data user came to, when it was ready to send, and what it put into its products that is not masked there: C₁ and A. */
async function asked(given: GivenSketch, received = (_type: number, bytes: Uint8Array) => bytes) {
  const { task, program, garbler, evaluator } = sketchSetting({
    ...given,
    task: { maximumSamplesPerOwner: 8 },
  });
  const [left, right] = memoryChannelPair();
  const { csp: atCsp, user: atUser } = clearProductsBothWays();
  const matrices: Matrix[] = [];
  const moments: number[] = [];
  // Time passes in waits alone.
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  class Line extends MessageStream {
    override async read(type: number, length: number): Promise<Uint8Array> {
      return received(type, await super.read(type, length));
    }
  }
  const stream = new Line(right);
  const note = async (products: readonly { readonly matrix: Matrix | object }[]) => {
    await stream.released(); // as the first byte of these would be
    moments.push(now);
    matrices.push(products.map(({ matrix }) => matrix).find((matrix) => Array.isArray(matrix)) ?? []);
  };
  const [csp, user] = await Promise.allSettled([
    answerSketch(
      new MessageStream(left),
      async () => atCsp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => drawSketchSecrets(sketchParameters(task, program), systemBits()),
    ),
    askSketch(
      stream,
      async () => ({
        multiply: async (products) => {
          await note(products);
          return atUser.multiply(products);
        },
        reversed: {
          multiply: async (products) => {
            await note(products);
            return atUser.reversed.multiply(products);
          },
        },
      }),
      { task, program },
      { ...evaluator, pace: { milliseconds: 10_000, clock } },
    ),
  ]);
  const isZero = (matrix: Matrix) => matrix.flat().every((entry) => entry === 0n);
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  // Those of the first and of the last exchange are shares.
  return { csp: csp.status, code, zeros: [isZero(matrices[1]!), isZero(matrices[3]!)], moments };
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
    for (const { moments } of [outcome, other])
      expect(moments).toEqual([first, second, second, third, third]);
  });

  it('is one whose components come out as they cannot be', async () => {
    const { task, program } = sketchSetting(fine);
    const width = Math.ceil(sketchParameters(task, program).vectorRing / 8);
    // The first byte of an entry may be in part.
    const garbled = (type: number, bytes: Uint8Array) =>
      type === ROTATED_MESSAGE.vectors
        ? bytes.map((byte, i) => (i % width === 1 ? byte ^ 0x55 : byte))
        : bytes;
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
