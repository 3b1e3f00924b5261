/** A CSP that deviates as garbler: changed messages, another function, and a failure that depends on the data user's shares. */

import { randomBytes } from 'node:crypto';
import { decompose } from '@eigenveil/projection';
import { placesOf, programOf } from '@eigenveil/task';
import type { Session } from '@eigenveil/two-party/insides';
import { ClearSession, GARBLING_MESSAGE, messagesOf, runGarbled } from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { exactly, oddOnes } from '../in-process/exact.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { runTwoParty, share, shifted } from '../in-process/two-party.ts';

const LANES = 40;
const HEADER_BYTES = 8;

const COMMON = {
  kind: 'deviation',
  attacker: 'CSP',
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
} as const satisfies Partial<Unworded>;

/** A program with every kind of gate and input. */
async function program(session: Session, garblerBits?: Uint8Array, evaluatorBits?: Uint8Array) {
  const a = await session.garblerInput(LANES, garblerBits);
  const b = await session.evaluatorInput(LANES, evaluatorBits);
  const c = await session.step((gates) => gates.and(gates.and(a, b), gates.not(gates.xor(a, b))));
  return session.reveal([c, a, b]);
}

/** Where the bytes of labels, keys, tables and decoding are among all that the garbler sends; of messages' headers the channel takes care. */
function payloads(frames: readonly Uint8Array[]): number[] {
  const types: readonly number[] = [
    GARBLING_MESSAGE.inputLabels,
    GARBLING_MESSAGE.block,
    GARBLING_MESSAGE.decode,
  ];
  const places: number[] = [];
  let at = 0;
  for (const { type, payload } of messagesOf(frames)) {
    at += HEADER_BYTES;
    if (types.includes(type)) for (let i = 0; i < payload.length; i += 1) places.push(at + i);
    at += payload.length;
  }
  return places;
}

function flipping(place: number, bit: number): (frame: Uint8Array) => Uint8Array {
  let seen = 0;
  return (frame) => {
    const at = place - seen;
    seen += frame.length;
    if (at >= 0 && at < frame.length) frame[at]! ^= 1 << bit;
    return frame;
  };
}

const REFUSED = /^ERR_(GARBLING_CHECK|GARBLING_MESSAGE|CHANNEL_MESSAGE)$/;
const bits = () => Uint8Array.from(randomBytes(LANES), (byte) => byte & 1);

const tampering: Unworded = {
  ...COMMON,
  id: 'deviation-garbled-tampering',
  secret: 'result',
  expectation: 'holds',
  claims: ['S-26'],
  async run({ effort, seed }) {
    const draws = new Draws(seed);
    const exceptions: boolean[] = [];
    const outcomes = { refused: 0, 'right all the same': 0 };
    const places = payloads((await runGarbled(program, bits(), bits())).fromGarbler);
    for (let run = 0; run < (effort === 'quick' ? 40 : 500); run += 1) {
      const [a, b] = [bits(), bits()];
      const expected = await program(new ClearSession(), a, b);
      const tamper = flipping(draws.some(places, 1)[0]!, draws.below(8));
      const outcome = await runGarbled(program, a, b, { tamper }).catch(
        (error: unknown) => errorCodeOf(error) ?? String(error),
      );
      const right = typeof outcome !== 'string' && String(outcome.bits) === String(expected);
      const refused = typeof outcome === 'string' && REFUSED.test(outcome);
      if (refused) outcomes.refused += 1;
      if (right) outcomes['right all the same'] += 1;
      exceptions.push(!right && !refused);
    }
    return exactly(exceptions, 'another result', { facts: outcomes });
  },
};

const wrongResult: Unworded = {
  ...COMMON,
  id: 'deviation-wrong-result',
  secret: 'result',
  expectation: 'admitted',
  claims: ['S-33', 'S-135'],
  async run({ scene, effort, seed }) {
    const { proposal, cut } = smallTask(scene, { features: 3 });
    const draws = new Draws(seed);
    const trials = { attack: [] as number[], control: [] as number[] };
    for (let run = 0; run < (effort === 'quick' ? 1 : 12); run += 1) {
      const task = agreed(proposal);
      const rows = cut(draws.some(scene.owners.flat(), 40));
      const statistics = pooledStatistics(proposal, [rows.slice(0, 20), rows.slice(20)]);
      const right = decompose(programOf(task), statistics);
      const shares = share(task, statistics);
      const { R, length } = placesOf(task);
      const more = Array.from({ length }, (_, i) =>
        i === R.from ? BigInt(20 * 4 ** task.fractionBits) : 0n,
      );
      for (const [side, own] of [
        ['attack', { ...shares, csp: shifted(task, shares.csp, more) }],
        ['control', shares],
      ] as const) {
        const { result } = await runTwoParty(task, statistics, own);
        const off = result === undefined ? 0 : Math.abs(result.eigenvalues[0]! / right.eigenvalues[0]! - 1);
        trials[side].push(Number(off > 0.01));
      }
    }
    return { kind: 'trials', ...trials, paired: true, baseline: 0 };
  },
};

const RESULT = 'a result';
const MOST_RUNS = 40;

const selectiveFailure: Unworded = {
  ...COMMON,
  id: 'deviation-selective-failure',
  secret: 'pooled statistics',
  expectation: 'holds',
  claims: ['S-33', 'S-34', 'S-63', 'S-64'],
  async run({ scene, effort, seed }) {
    const { proposal, cut } = smallTask(scene, { features: 3 });
    const draws = new Draws(seed);
    const task = agreed(proposal);
    const rows = cut(draws.some(scene.owners.flat(), 40));
    const statistics = pooledStatistics(proposal, [rows.slice(0, 20), rows.slice(20)]);
    const seen: { readonly group: string; readonly shape: string }[] = [];
    const outcomes: Record<string, number> = {};
    // Where the longest message is, there are tables.
    let longest = 0;
    // Every other changed bit is one that the data user does not read: runs without any failure would compare results with results.
    const hasFailed = () => Object.keys(outcomes).some((outcome) => outcome !== RESULT);
    for (let run = 0; run < (effort === 'quick' ? 2 : 24) || !hasFailed(); run += 1) {
      if (run === MOST_RUNS) throw new Error(`expected a changed table to make one of ${run} runs fail`);
      const where = draws.uniform();
      const tamper = (message: Uint8Array, index: number) => {
        if (run > 0 && index === longest) message[Math.floor((0.1 + 0.8 * where) * message.length)]! ^= 1;
        return message;
      };
      const watched = await runTwoParty(task, statistics, share(task, statistics), { tamper });
      const { fromCsp, fromDataUser, closing, code = RESULT } = watched;
      if (run === 0)
        longest = fromCsp.reduce((most, { length }, i) => (length > fromCsp[most]!.length ? i : most), 0);
      outcomes[code] = (outcomes[code] ?? 0) + 1;
      seen.push({
        group: 'all',
        shape: `${fromDataUser.map(({ length }) => length).join(' ')} / ${closing}`,
      });
    }
    return exactly(oddOnes(seen), 'a failure that shows', { facts: outcomes });
  },
};

export const GARBLING: readonly Unworded[] = [tampering, wrongResult, selectiveFailure];
