/** The messages that the CSP receives from the data user in `garbled`: the transfers that choose labels. */

import { valueBitsOf } from '@eigenveil/task';
import {
  dealtTransfers,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  OT_MESSAGE,
  recorded,
  unevenness,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { drawnStatistics, omitsSmall, type SmallTask, sharesOf, smallTask } from './inputs.ts';
import { squares } from './matrices.ts';
import { party } from './party.ts';

const FEATURES = 4;
const COMPONENTS = 2;
const CHECK_ROWS = 128;
const COLUMNS = 128;

interface Transferred {
  /** The choices that somebody looks for, which are the data user's own. */
  readonly choices: Uint8Array;
  readonly corrections: Uint8Array;
  readonly response: Uint8Array;
  readonly rows: Uint8Array;
}

function choicesFor(small: SmallTask, draws: Draws): Uint8Array {
  const { dataUser } = sharesOf(small, drawnStatistics(small, draws.of('rows')), draws.of('shares'));
  return bitsOf(dataUser, valueBitsOf(small.task));
}

export const garbledCsp = party({
  id: 'csp-transfers',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-13', 'S-22', 'S-39'],
  leaks: [
    {
      id: 'one-key',
      title: 'both keys of a base transfer are one.',
      size: 'share of base transfers with one key',
      sizes: [0.0005, 0.001, 0.003, 0.01, 0.1, 1],
    },
  ],
  runs: { quick: 24, full: 50 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  open: (scene) => smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'garbled' }),
  async real(small, draws, planted): Promise<Transferred> {
    const choices = choicesFor(small, draws);
    const leaks = draws.of('leak');
    const same = () => planted !== undefined && leaks.uniform() < planted.size;
    return { choices, ...(await transferred(choices, draws, same)) };
  },
  async simulated(small, draws) {
    const choices = choicesFor(small, draws);
    const random = draws
      .of('choices')
      .source(choices.length)
      .map((byte) => byte & 1);
    return { choices, ...(await transferred(random, draws)) };
  },
  features(_, { choices, corrections, response, rows }) {
    const stride = corrections.length / COLUMNS;
    /** The frequency with which the bits of a column, or of all rows at one place, are the choices, in deviations of fair coins. */
    const z = (bit: (i: number) => number) => {
      let equal = 0;
      for (const [i, choice] of choices.entries()) equal += bit(i) === choice ? 1 : 0;
      return (equal - choices.length / 2) / (Math.sqrt(choices.length) / 2);
    };
    const columns = Array.from({ length: COLUMNS }, (__, j) =>
      z((i) => {
        const at = CHECK_ROWS + i;
        return (corrections[j * stride + (at >> 3)]! >> (at & 7)) & 1;
      }),
    );
    const ofRows = Array.from({ length: COLUMNS }, (__, j) =>
      z((i) => (rows[16 * i + (j >> 3)]! >> (j & 7)) & 1),
    );
    return {
      'unevenness of the bytes of columns': unevenness([corrections]),
      'agreement of columns and choices': squares(columns),
      'largest agreement of a column and choices': Math.max(...columns.map(Math.abs)),
      'agreement of rows and choices': squares(ofRows),
      'unevenness of the bytes of the answer to the check': unevenness([response]),
      'first byte of the answer': response[0]!,
      bytes: corrections.length + response.length,
    };
  },
});

/** All bits of all shares, lowest first, as the circuit takes them in. */
const bitsOf = (shares: readonly bigint[], lengths: readonly number[]) =>
  Uint8Array.from(
    shares.flatMap((share, v) =>
      Array.from({ length: lengths[v]! }, (_, b) => Number((share >> BigInt(b)) & 1n)),
    ),
  );

async function transferred(
  choices: Uint8Array,
  draws: Draws,
  same?: (column: number) => boolean,
): Promise<Omit<Transferred, 'choices'>> {
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const { sender, receiver } = dealtTransfers(
    {
      sender: new MessageStream(left),
      receiver: new MessageStream(recorded(right, frames, (frame) => frame)),
    },
    {
      sender: draws.of('csp').source,
      receiver: draws.of('data user').source,
      dealer: draws.of('dealer').source,
    },
    same,
  );
  const [rows] = await Promise.all([sender.extend(choices.length), receiver.extend(choices)]);
  const messages = messagesOf(frames);
  const payload = (type: number) => messages.find((it) => it.type === type)!.payload;
  return {
    rows,
    corrections: payload(OT_MESSAGE.extension),
    response: payload(OT_MESSAGE.extensionCheck),
  };
}
