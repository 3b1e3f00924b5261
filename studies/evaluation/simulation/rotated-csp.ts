/** What the CSP receives from the data user in a PCA by `rotated`. */

import { placesOf } from '@eigenveil/task';
import {
  answerRotated,
  askRotated,
  dealtTransfers,
  drawSecrets,
  type Message,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  multiplyEachChosen,
  multiplyEachCorrelated,
  PRODUCT_MESSAGE,
  RandomBits,
  type RandomSource,
  recorded,
  rotatedParameters,
  unevenness,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { AT_ONCE } from './data-user-run.ts';
import { drawnStatistics, OWNERS, omitsSmall, type SmallTask, sharesOf, smallTask } from './inputs.ts';
import { named, once, party } from './party.ts';

const FEATURES = 4;
const COMPONENTS = 2;
/** Slopes of the last product, that of the directions: rows times combinations. */
const SLOPES = FEATURES * 2;

interface Shares {
  readonly csp: readonly bigint[];
  readonly dataUser: readonly bigint[];
}

/** The messages of the data user in a whole run; what it makes of the answer does not matter here, a refusal neither. */
async function sentInRotated(
  { task, program }: SmallTask,
  shares: Shares,
  draws: Draws,
  random: RandomSource,
): Promise<Message[]> {
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const streams = {
    sender: new MessageStream(recorded(right, frames, (frame) => frame)),
    receiver: new MessageStream(left),
  };
  const { sender, receiver } = dealtTransfers(streams, {
    sender: random,
    receiver: draws.of('csp').source,
    dealer: draws.of('dealer').source,
  });
  const own = new RandomBits(draws.of('rotation').source);
  await Promise.all([
    askRotated(
      streams.sender,
      async () => ({ multiply: (products) => multiplyEachCorrelated(sender, products) }),
      { task, program },
      { shares: shares.dataUser, pace: AT_ONCE },
    ).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }),
    answerRotated(
      streams.receiver,
      async () => ({ multiply: (products) => multiplyEachChosen(receiver, products) }),
      { task, program },
      { shares: shares.csp, verifiedOwners: OWNERS, markAnswered: async () => undefined },
      (parameters) => drawSecrets(parameters, program.components, own),
    ),
  ]);
  return messagesOf(frames);
}

export const rotatedCsp = party({
  id: 'csp-rotated',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-12', 'S-13', 'S-63', 'S-64'],
  leaks: [
    {
      id: 'masks',
      title: 'bytes of the masks of slopes are zeros.',
      size: 'share of bytes that are zeros',
      sizes: [0.01, 0.03, 0.1, 1],
    },
    {
      id: 'hangs-up',
      title: 'the data user goes before its last message, as where it refuses a result.',
      size: 'share of runs in which it does',
      sizes: [0.2, 0.4, 0.6, 1],
    },
  ],
  runs: { quick: 20, full: 24 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  open(scene) {
    const small = smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'rotated' });
    const sharesFor = (draws: Draws) =>
      sharesOf(small, drawnStatistics(small, draws.of('rows')), draws.of('shares'));
    const sent = (draws: Draws, random: RandomSource) =>
      sentInRotated(small, sharesFor(draws), draws, random);
    return { small, sharesFor, sent, run: once((draws) => sent(draws, draws.of('data user').source)) };
  },
  async real({ sent, run }, draws, planted) {
    if (planted?.leak === 'masks') return sent(draws, withZeros(draws, planted.size));
    const goes = planted !== undefined && draws.of('leak').uniform() < planted.size;
    return (await run(draws)).slice(0, goes ? -1 : undefined);
  },
  simulated({ small, sharesFor }, draws) {
    const shares = sharesFor(draws.of('elsewhere'));
    const random = new RandomBits(draws.of('uniform').source);
    const { ringBits } = rotatedParameters(small.task);
    const { owners } = placesOf(small.task);
    const dataUser = shares.dataUser.map((share, v) =>
      v === owners.from ? share : random.integer(ringBits),
    );
    return sentInRotated(small, { ...shares, dataUser }, draws, draws.of('data user').source);
  },
  features({ small: { task } }, sent: readonly Message[]) {
    const payloads = (wanted: number) =>
      sent.flatMap(({ type, payload }) => (type === wanted ? [payload] : []));
    const checks = payloads(PRODUCT_MESSAGE.check).map((payload) => payload.subarray(0, -32));
    const { ringBits, vectorRingBits } = rotatedParameters(task);
    // The exchange of M has five products, the second of which carries the number of rows.
    const slopes =
      checks.length > 5 ? placesIn(checks[5]!, vectorRingBits) : new Array<number>(SLOPES).fill(0);
    let order = 0;
    for (const { type, payload } of sent) order = (31 * order + 7 * type + payload.length) % 1_000_003;
    return {
      messages: sent.length,
      bytes: sent.reduce((sum, { payload }) => sum + payload.length, 0),
      'order of types and lengths': order,
      'unevenness of the bytes of chunks': unevenness(payloads(PRODUCT_MESSAGE.chunk)),
      'unevenness of the bytes of slopes': unevenness(checks),
      ...named(slopes, (i) => `slope ${i + 1} of the directions`),
      'largest slope of the directions': Math.max(...slopes),
      'slope of the number of rows': placesIn(checks[1]!, ringBits)[0]!,
      'zeros in the slopes of the number of rows': maskBytes(checks[1]!, ringBits).filter(
        (byte) => byte === 0,
      ).length,
    };
  },
});

/** What the data user draws, where bytes are zeros with this probability. */
function withZeros(draws: Draws, share: number): RandomSource {
  const zeros = draws.of('zeros');
  const { source } = draws.of('data user');
  return (length) => source(length).map((byte) => (zeros.uniform() < share ? 0 : byte));
}

/** Products are carried in rings of so many bits more: see check.ts in two-party. */
const LONGER = 20;

/** A number of rows times a coefficient of 32 bits does not reach into the other bytes of a slope: these are the mask's. */
const LOWEST_BYTES = 6;

function maskBytes(slopes: Uint8Array, ringBits: number): Uint8Array {
  const width = Math.ceil((ringBits + LONGER) / 8);
  return slopes.filter((_, i) => i % width < width - LOWEST_BYTES);
}

/** Slopes as shares of their ring. */
function placesIn(slopes: Uint8Array, ringBits: number): number[] {
  const bits = ringBits + LONGER;
  const width = Math.ceil(bits / 8);
  const hex = Buffer.from(slopes).toString('hex');
  return Array.from({ length: slopes.length / width }, (_, i) => {
    const slope = BigInt(`0x${hex.slice(2 * i * width, 2 * (i + 1) * width)}`);
    return Number(slope >> BigInt(bits - 50)) * 2 ** -50;
  });
}
