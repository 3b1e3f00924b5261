/** A data user of `rotated` that puts its own into the products: the noise scaled away, and, in a product by transfers, another matrix for each digit of the rotation. */

import { randomBytes } from 'node:crypto';
import type { FlatResult } from '@eigenveil/methods';
import { pencil } from '@eigenveil/projection';
import { programOf, type Task } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  askRotated,
  checkSize,
  DIGIT_BITS,
  dataUserLattice,
  drawDelta,
  haarOrthogonal,
  inRing,
  type Lie,
  MessageStream,
  memoryChannelPair,
  multiplyChosen,
  multiplyLying,
  PCA_PRODUCTS,
  PROGRAM,
  RandomBits,
  rotatedParameters,
  setUpReceiver,
  setUpSender,
  streamsFrom,
  traceOf,
  type UserFactor,
  type UserLattice,
} from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { exactly } from '../in-process/exact.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { AT_ONCE, type Shares, share } from '../in-process/two-party.ts';

/** The real protocol, but for what the data user puts into the products. */
async function run(
  task: Task,
  owners: number,
  shares: Shares,
  change: (factor: UserFactor) => UserFactor,
): Promise<FlatResult> {
  const program = programOf(task);
  const [left, right] = memoryChannelPair();
  const stream = new MessageStream(right);
  const lattice = (): UserLattice => {
    const open = dataUserLattice(stream, PROGRAM, streamsFrom(randomBytes(32)));
    return async (plan) => {
      const products = await open(plan);
      return { multiply: (asked, moments) => products.multiply(asked.map(change), moments) };
    };
  };
  const input = { shares: shares.csp, verifiedOwners: owners, markAnswered: async () => undefined };
  const [result] = await Promise.all([
    askRotated(stream, lattice, { task, program }, { shares: shares.dataUser, pace: AT_ONCE }),
    TWO_PARTY_PROTOCOLS.rotated.runCsp(left, { task, program }, input),
  ]);
  return result;
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
function withoutNoise({ product, factor }: UserFactor, trace: bigint, ringBits: number): UserFactor {
  if (product !== PCA_PRODUCTS.noise) return { product, factor };
  return {
    product,
    factor: inRing(
      factor.map((row) => row.map((entry) => entry - trace)),
      ringBits,
    ),
  };
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
        const { spectrum } = await run(task, owners, shares, (factor) =>
          deviates ? withoutNoise(factor, trace, ringBits) : factor,
        );
        const error = Math.abs(Math.hypot(...spectrum!) - norm) / exact;
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

/** How the CSP ends a product of a rotation with nothing, in which the data user deviates. */
async function product(task: Task, deviation: Lie['deviation']): Promise<string> {
  const { features: d, rotationBits, vectorRingBits: ringBits } = rotatedParameters(task);
  const { components } = task;
  const [left, right] = memoryChannelPair();
  const sizes = { rows: d, inner: d, columns: components, entryBits: rotationBits + 1, ringBits };
  const nothing = Array.from({ length: d }, () => new Array<bigint>(components).fill(0n));
  const random = new RandomBits((length) => randomBytes(length));
  const user = async () => {
    const sender = await setUpSender(new MessageStream(right), drawDelta());
    await multiplyLying(sender, checkSize({ ...sizes, part: 'whole' }), nothing, { deviation });
  };
  const csp = async () => {
    const receiver = await setUpReceiver(new MessageStream(left));
    const matrix = haarOrthogonal(d, rotationBits, random);
    await multiplyChosen(receiver, { matrix, entryBits: rotationBits + 1, columns: components, ringBits });
  };
  const [, atCsp] = await Promise.allSettled([user(), csp()]);
  return atCsp.status === 'fulfilled' ? 'done' : (errorCodeOf(atCsp.reason) ?? 'none');
}

const digits: Unworded = {
  ...COMMON,
  id: 'deviation-digits',
  expectation: 'holds',
  claims: ['S-50', 'S-51'],
  async run(setting) {
    const given: boolean[] = [];
    const codes: Record<string, number> = {};
    for (const { task } of tasks(setting, setting.effort === 'quick' ? 2 : 20)) {
      const deviation = showing(task, task.components, given.length % 2 === 1);
      const csp = await product(task, deviation);
      codes[csp] = (codes[csp] ?? 0) + 1;
      given.push(csp !== 'ERR_PRODUCT_CHECK');
    }
    return exactly(given, 'an answer that is given', { facts: codes });
  },
};

export const ROTATING: readonly Unworded[] = [noiseScale, digits];
