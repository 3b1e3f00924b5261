/** The points by which the CSP chooses keys in `garbled`: the data user must not see the secret Δ of all labels in them. */
import {
  drawDelta,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  OT_MESSAGE,
  receiveBaseKeys,
  recorded,
  unevenness,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { once, party } from './party.ts';

const POINTS = 128;
const POINT_BYTES = 65;
const ABSCISSA_END = 33;
/** The prime of P-256 (FIPS 186-5). */
const PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;

interface Sent {
  readonly choices: Uint8Array;
  readonly points: readonly Uint8Array[];
}

export const basePoints = party({
  id: 'data-user-base-points',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-21', 'S-39'],
  leaks: [
    {
      id: 'even',
      title: 'points of a choice 1 have even ordinates.',
      size: 'share of such points',
      sizes: [0.1, 0.2, 0.3, 0.5, 1],
    },
  ],
  runs: { quick: 16, full: 40 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  open: () => once(sent),
  async real(run, draws, planted): Promise<Sent> {
    const { choices, points } = await run(draws);
    const leaks = draws.of('leak');
    const even = (i: number) => planted !== undefined && choices[i] === 1 && leaks.uniform() < planted.size;
    return { choices, points: points.map((point, i) => (even(i) ? withEvenOrdinate(point) : point)) };
  },
  async simulated(_, draws) {
    const { choices } = choicesOf(draws.of('others'));
    return { choices, points: (await sent(draws)).points };
  },
  features(_, { choices, points }) {
    const ofOnes = (bit: (point: Uint8Array) => number) =>
      points.reduce((sum, point, i) => sum + (choices[i] === 1 ? bit(point) : 0), 0) /
      choices.reduce((sum, choice) => sum + choice, 0);
    return {
      'ordinates that are odd where the choice is 1': ofOnes((point) => point.at(-1)! & 1),
      'abscissas that are odd where the choice is 1': ofOnes((point) => point[ABSCISSA_END - 1]! & 1),
      'highest bits of abscissas that are 1 where the choice is 1': ofOnes((point) => point[1]! >> 7),
      'odd ordinates': points.reduce((sum, point) => sum + (point.at(-1)! & 1), 0),
      'unevenness of the bytes of abscissas': unevenness(
        points.map((point) => point.subarray(1, ABSCISSA_END)),
      ),
      points: points.length,
    };
  },
});

function choicesOf(draws: Draws) {
  const delta = drawDelta(draws.of('delta').source);
  return { delta, choices: Uint8Array.from({ length: POINTS }, (_, i) => (delta[i >> 3]! >> (i & 7)) & 1) };
}

/** The lines ends before the data user answers: nothing that the CSP sends depends on that. */
async function sent(draws: Draws): Promise<Sent> {
  const { delta, choices } = choicesOf(draws);
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const stream = new MessageStream(recorded(left, frames, (frame) => frame));
  const receiving = receiveBaseKeys(stream, delta, draws.of('scalars').source);
  await right.close();
  await receiving.catch(() => undefined);
  const { payload } = messagesOf(frames).find(({ type }) => type === OT_MESSAGE.publicKeys)!;
  return {
    choices,
    points: Array.from({ length: POINTS }, (_, i) => payload.slice(i * POINT_BYTES, (i + 1) * POINT_BYTES)),
  };
}

function withEvenOrdinate(point: Uint8Array): Uint8Array {
  if ((point.at(-1)! & 1) === 0) return point;
  const y = BigInt(`0x${Buffer.from(point.subarray(ABSCISSA_END)).toString('hex')}`);
  const even = Buffer.from((PRIME - y).toString(16).padStart(64, '0'), 'hex');
  return Buffer.concat([point.subarray(0, ABSCISSA_END), even]);
}
