/** What the CSP receives from the data user in `garbled`: the transfers that choose labels. */

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
import type { Game } from './game.ts';
import { drawnStatistics, omitsSmall, sharesOf, smallTask } from './inputs.ts';
import { squares } from './matrices.ts';

const FEATURES = 4;
const COMPONENTS = 2;
const CHECK_ROWS = 128;
const COLUMNS = 128;

interface Transferred {
  readonly corrections: Uint8Array;
  readonly response: Uint8Array;
  readonly rows: Uint8Array;
}

export const garbledCsp: Game = {
  id: 'csp-transfers',
  title: "The data user's choices of labels in `garbled` are as good as random to the CSP.",
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-13', 'S-22', 'S-39'],
  sees: "The columns of the extended transfers for all bits of the data user's shares, the answer to their check, and the rows that it makes of them. Base transfers are dealt by a trusted dealer.",
  knows: "The data user's shares: it tries to find their bits.",
  simulator: 'the number of transfers; it chooses at random',
  values: [
    'unevenness of the bytes of columns',
    'agreement of columns and choices',
    'largest agreement of a column and choices',
    'agreement of rows and choices',
    'unevenness of the bytes of the answer to the check',
    'first byte of the answer',
    'bytes',
  ],
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
  open(scene) {
    const small = smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'garbled' });
    const choicesFor = (draws: Draws) => {
      const { dataUser } = sharesOf(small, drawnStatistics(small, draws.of('rows')), draws.of('shares'));
      return bitsOf(dataUser, valueBitsOf(small.task));
    };
    return {
      async real(draws, planted) {
        const choices = choicesFor(draws);
        const leaks = draws.of('leak');
        const same = () => planted !== undefined && leaks.uniform() < planted.size;
        return agreements(await transferred(choices, draws, same), choices);
      },
      async simulated(draws) {
        const choices = choicesFor(draws);
        const random = draws
          .of('choices')
          .source(choices.length)
          .map((byte) => byte & 1);
        return agreements(await transferred(random, draws), choices);
      },
    };
  },
};

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
): Promise<Transferred> {
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

/** How often the bits of a column, or of all rows at one place, are the choices, in deviations of fair coins. */
function agreements({ corrections, response, rows }: Transferred, choices: Uint8Array): number[] {
  const stride = corrections.length / COLUMNS;
  const z = (bit: (i: number) => number) => {
    let equal = 0;
    for (const [i, choice] of choices.entries()) equal += bit(i) === choice ? 1 : 0;
    return (equal - choices.length / 2) / (Math.sqrt(choices.length) / 2);
  };
  const columns = Array.from({ length: COLUMNS }, (_, j) =>
    z((i) => {
      const at = CHECK_ROWS + i;
      return (corrections[j * stride + (at >> 3)]! >> (at & 7)) & 1;
    }),
  );
  const ofRows = Array.from({ length: COLUMNS }, (_, j) =>
    z((i) => (rows[16 * i + (j >> 3)]! >> (j & 7)) & 1),
  );
  return [
    unevenness([corrections]),
    squares(columns),
    Math.max(...columns.map(Math.abs)),
    squares(ofRows),
    unevenness([response]),
    response[0]!,
    corrections.length + response.length,
  ];
}
