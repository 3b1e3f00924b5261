/** The messages that the CSP receives from the data user in a PCA by `rotated`. */

import { placesOf } from '@eigenveil/task';
import {
  answerRotated,
  askRotated,
  cspLattice,
  dataUserLattice,
  drawSecrets,
  LATTICE_MESSAGE,
  type Message,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  PROGRAM,
  RandomBits,
  recorded,
  rotatedParameters,
  streamsFrom,
  unevenness,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { AT_ONCE } from './data-user-run.ts';
import { drawnStatistics, OWNERS, omitsSmall, type SmallTask, sharesOf, smallTask } from './inputs.ts';
import { named, once, party } from './party.ts';

const FEATURES = 4;
const COMPONENTS = 2;
/** Coefficients of the directions' ciphertext that are looked at one by one. */
const PLACES = 8;

interface Shares {
  readonly csp: readonly bigint[];
  readonly dataUser: readonly bigint[];
}

/** The messages of the data user in a whole run; what it makes of the answer does not matter here, a refusal neither. */
async function sentInRotated({ task, program }: SmallTask, shares: Shares, draws: Draws): Promise<Message[]> {
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const user = new MessageStream(recorded(right, frames, (frame) => frame));
  const csp = new MessageStream(left);
  const seeds = { user: draws.of('data user').source(32), csp: draws.of('csp').source(32) };
  const own = new RandomBits(draws.of('rotation').source);
  await Promise.all([
    askRotated(
      user,
      () => dataUserLattice(user, PROGRAM, streamsFrom(seeds.user)),
      { task, program },
      { shares: shares.dataUser, pace: AT_ONCE },
    ).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }),
    answerRotated(
      csp,
      () => cspLattice(csp, PROGRAM, streamsFrom(seeds.csp)),
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
      title: 'ciphertexts have bytes that nothing masks.',
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
    const run = once((draws) => sentInRotated(small, sharesFor(draws), draws));
    return { small, sharesFor, run };
  },
  async real({ run }, draws, planted) {
    const sent = await run(draws);
    if (planted?.leak === 'masks') return sent.map((message) => withZeros(message, draws, planted.size));
    const goes = planted !== undefined && draws.of('leak').uniform() < planted.size;
    return sent.slice(0, goes ? -1 : undefined);
  },
  simulated({ small, sharesFor }, draws) {
    const shares = sharesFor(draws.of('elsewhere'));
    const random = new RandomBits(draws.of('uniform').source);
    const { ringBits } = rotatedParameters(small.task);
    const { owners } = placesOf(small.task);
    const dataUser = shares.dataUser.map((share, v) =>
      v === owners.from ? share : random.integer(ringBits),
    );
    return sentInRotated(small, { ...shares, dataUser }, draws);
  },
  features(_, sent: readonly Message[]) {
    const payloads = (wanted: number) =>
      sent.flatMap(({ type, payload }) => (type === wanted ? [payload] : []));
    const filled = payloads(LATTICE_MESSAGE.inside);
    const places = placesIn(filled.at(-1)!);
    let order = 0;
    for (const { type, payload } of sent) order = (31 * order + 7 * type + payload.length) % 1_000_003;
    return {
      messages: sent.length,
      bytes: sent.reduce((sum, { payload }) => sum + payload.length, 0),
      'order of types and lengths': order,
      'unevenness of the bytes outside class 0': unevenness(payloads(LATTICE_MESSAGE.outside)),
      'unevenness of the bytes of class 0': unevenness(filled),
      ...named(places, (i) => `place ${i + 1} of the last ciphertext`),
      'largest place of the last ciphertext': Math.max(...places),
      'place of the number of rows': placesIn(filled[1]!)[0]!,
      'zeros in the ciphertext of the number of rows': filled[1]!.filter((byte) => byte === 0).length,
    };
  },
});

/** A message of a ciphertext whose bytes are zeros with this probability. */
function withZeros({ type, payload }: Message, draws: Draws, share: number): Message {
  if (type !== LATTICE_MESSAGE.inside) return { type, payload };
  const zeros = draws.of('zeros');
  return { type, payload: payload.map((byte) => (zeros.uniform() < share ? 0 : byte)) };
}

/** Every fourth of the first residues, each of 30 bits, over 2^30. */
function placesIn(words: Uint8Array): number[] {
  const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
  return Array.from({ length: PLACES }, (_, i) => (view.getUint32(15 * i, true) & 0x3fffffff) * 2 ** -30);
}
