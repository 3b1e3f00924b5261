/** A data user of `rotated` that puts its own into the products: the noise scaled away, and another matrix for each digit of the rotation. */

import { pencil } from '@eigenveil/projection';
import { programOf, type Task } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  askRotated,
  type CorrelatedProduct,
  checkSize,
  DIGIT_BITS,
  drawDelta,
  inRing,
  type Lie,
  MessageStream,
  memoryChannelPair,
  multiplyEachCorrelated,
  multiplyLying,
  rotatedParameters,
  setUpSender,
  traceOf,
  withAbort,
} from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { exactly } from '../in-process/exact.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { AT_ONCE, type Shares, share } from '../in-process/two-party.ts';

type Multiply = (
  sender: Awaited<ReturnType<typeof setUpSender>>,
  products: readonly CorrelatedProduct[],
) => Promise<bigint[][][]>;

/** The real protocol, but for the data user's end of the products. */
async function run(task: Task, owners: number, shares: Shares, multiply: Multiply) {
  const program = programOf(task);
  const [left, right] = memoryChannelPair();
  const stream = new MessageStream(right);
  const correlator = async () => {
    const sender = await setUpSender(stream, drawDelta());
    return { multiply: (products: readonly CorrelatedProduct[]) => multiply(sender, products) };
  };
  const input = { shares: shares.csp, verifiedOwners: owners, markAnswered: async () => undefined };
  const [csp, user] = await Promise.allSettled([
    TWO_PARTY_PROTOCOLS.rotated.runCsp(left, { task, program }, input),
    withAbort(right, () =>
      askRotated(stream, correlator, { task, program }, { shares: shares.dataUser, pace: AT_ONCE }),
    ),
  ]);
  return {
    csp: csp.status === 'fulfilled' ? 'done' : errorCodeOf(csp.reason),
    result: user.status === 'fulfilled' ? user.value : undefined,
  };
}

/** Tasks over rows of the scene, drawn anew each time. */
function* tasks({ scene, seed }: Setting, count: number) {
  const { proposal, cut } = smallTask(scene, { twoParty: 'rotated' });
  const draws = new Draws(seed);
  for (let i = 0; i < count; i += 1) {
    const task = agreed(proposal);
    const rows = cut(draws.some(scene.owners.flat(), 60));
    const statistics = pooledStatistics(proposal, [rows.slice(0, 30), rows.slice(30)]);
    yield { task, statistics, owners: 2, shares: share(task, statistics) };
  }
}

/** What the noise is multiplied with, less the trace; all other products as they are. */
function withoutNoise(product: CorrelatedProduct, trace: bigint, ringBits: number): CorrelatedProduct {
  const { matrix } = product;
  if (!('from' in matrix) || matrix.columns > 1) return product;
  const from = (shares: Parameters<typeof matrix.from>[0]) =>
    inRing(
      matrix.from(shares).map((row) => row.map((entry) => entry - trace)),
      ringBits,
    );
  return { ...product, matrix: { ...matrix, from } };
}

/** The noise is 2^−36 of the trace. A spectrum that is so much nearer to the exact one has none. */
const NO_NOISE = 2 ** -42;

const COMMON = {
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
} as const satisfies Partial<Unworded>;

const noiseScale: Unworded = {
  ...COMMON,
  id: 'deviation-noise-scale',
  expectation: 'admitted',
  claims: ['S-46'],
  async run(setting) {
    const trials = { attack: [] as number[], control: [] as number[] };
    const errors = { attack: [] as number[], control: [] as number[] };
    for (const { task, statistics, owners, shares } of tasks(setting, setting.effort === 'quick' ? 2 : 20)) {
      const { ringBits } = rotatedParameters(task);
      const trace = traceOf(wholeScatter(statistics));
      const { A } = pencil({ ...programOf(task), minimumOwners: 1 }, statistics);
      const exact = A.reduce((sum, row, i) => sum + row[i]!, 0);
      // Of the eigenvalues' squares, which is what all entries add up to: no eigenvectors and no other rounding.
      const norm = Math.hypot(...A.flat());
      for (const [side, deviates] of [
        ['attack', true],
        ['control', false],
      ] as const) {
        const { result } = await run(task, owners, shares, (sender, products) =>
          multiplyEachCorrelated(
            sender,
            deviates ? products.map((product) => withoutNoise(product, trace, ringBits)) : products,
          ),
        );
        const error = Math.abs(Math.hypot(...result!.spectrum!) - norm) / exact;
        errors[side].push(error);
        trials[side].push(Number(error < NO_NOISE));
      }
    }
    const rms = (list: readonly number[]) => Math.hypot(...list) / Math.sqrt(list.length);
    return {
      kind: 'trials',
      ...trials,
      paired: true,
      baseline: 0,
      facts: {
        'noise left, over the trace': rms(errors.attack),
        'noise of who follows the protocol': rms(errors.control),
        'its scale, 2^-36': 2 ** -36,
      },
    };
  },
};

/** The flood takes the bits below. */
const DIGITS_PER_ENTRY = 7;

/** A = 0, and digit δ of weight 16^t carries 16^−t times the place where it shall show. With `cancelling` the masks behind make up for it. */
function showing(task: Task, components: number, cancelling: boolean): Lie['deviation'] {
  const { features: d, rotationBits, vectorRingBits } = rotatedParameters(task);
  const digits = Math.ceil((rotationBits + 1) / DIGIT_BITS);
  const shown = Math.floor((DIGITS_PER_ENTRY * components) / d);
  return ({ inner, t }, column) => {
    const own = column % components;
    if (t < digits - shown || (column >= components && !cancelling)) return 0n;
    const place = inner * shown + (digits - 1 - t);
    if (Math.floor(place / DIGITS_PER_ENTRY) !== own) return 0n;
    const value = 1n << BigInt(vectorRingBits - DIGIT_BITS * ((place % DIGITS_PER_ENTRY) + 1 + t));
    return column < components ? value : -value;
  };
}

const digits: Unworded = {
  ...COMMON,
  id: 'deviation-digits',
  expectation: 'holds',
  claims: ['S-50', 'S-51'],
  async run(setting) {
    const given: boolean[] = [];
    const codes: Record<string, number> = {};
    for (const { task, owners, shares } of tasks(setting, setting.effort === 'quick' ? 2 : 20)) {
      const { features: d, rotationBits, vectorRingBits: ringBits } = rotatedParameters(task);
      const { components } = task;
      const size = checkSize({
        rows: d,
        inner: d,
        columns: components,
        entryBits: rotationBits + 1,
        ringBits,
        part: 'whole',
      });
      const nothing = Array.from({ length: d }, () => new Array<bigint>(components).fill(0n));
      const deviation = showing(task, components, given.length % 2 === 1);
      const { csp = 'none' } = await run(task, owners, shares, async (sender, products) =>
        products.length > 1
          ? multiplyEachCorrelated(sender, products)
          : [await multiplyLying(sender, size, nothing, { deviation })],
      );
      codes[csp] = (codes[csp] ?? 0) + 1;
      given.push(csp !== 'ERR_PRODUCT_CHECK');
    }
    return exactly(given, 'an answer that is given', { facts: codes });
  },
};

export const ROTATING: readonly Unworded[] = [noiseScale, digits];
