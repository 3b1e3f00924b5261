/** Both ends of products in one process: one session of transfers, and what either end sends. */
import { randomBytes } from 'node:crypto';
import { withAbort } from '../../src/channel/abort.ts';
import type { ChannelLimits } from '../../src/channel/channel.ts';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { multiplyChosen, multiplyCorrelated, type Part } from '../../src/products/index.ts';
import type { DigitBits } from '../../src/products/layout.ts';
import { recorded } from '../oblivious-transfer/parties.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

export type Matrix = bigint[][];
export type Tamper = (frame: Uint8Array, index: number) => Uint8Array;

export interface Case {
  readonly a: Matrix;
  readonly c: Matrix;
  readonly entryBits: number;
  readonly ringBits: number;
  readonly part?: Part;
  readonly digitBits?: DigitBits;
}

export interface Options {
  readonly limits?: Partial<ChannelLimits>;
  /** Changes what an end sends after the set-up. */
  readonly fromChooser?: Tamper;
  readonly fromCorrelator?: Tamper;
}

export async function session({ limits, fromChooser, fromCorrelator }: Options = {}) {
  const [left, right] = memoryChannelPair(limits);
  let begun = false;
  const after =
    (tamper: Tamper | undefined): Tamper =>
    (frame, index) =>
      begun && tamper ? tamper(Uint8Array.from(frame), index) : frame;
  const correlator = recorded(left, after(fromCorrelator));
  const chooser = recorded(right, after(fromChooser));
  const delta = drawDelta();
  const party = (channel: typeof chooser) => ({
    stream: new MessageStream(channel.recording),
    random: randomBytes,
  });
  const [sender, receiver] = await Promise.all([
    ExtensionSender.setUp(party(correlator), delta),
    ExtensionReceiver.setUp(party(chooser)),
  ]);
  correlator.sent.length = 0;
  chooser.sent.length = 0;
  begun = true;
  /** Runs one product; each end ends as it would in a service. */
  const settle = ({ a, c, ...sizes }: Case) => {
    return Promise.allSettled([
      withAbort(chooser.recording, () =>
        multiplyChosen(receiver, { ...sizes, matrix: a, columns: c[0]!.length }),
      ),
      withAbort(correlator.recording, () =>
        multiplyCorrelated(sender, { ...sizes, matrix: c, rows: a.length }),
      ),
    ]);
  };
  const multiply = async (product: Case) => {
    const [chosen, correlated] = await settle(product);
    if (chosen.status === 'rejected') throw chosen.reason;
    if (correlated.status === 'rejected') throw correlated.reason;
    return { chosen: chosen.value, correlated: correlated.value };
  };
  return {
    multiply,
    settle,
    sender,
    receiver,
    sentByCorrelator: correlator.sent,
    sentByChooser: chooser.sent,
  };
}

export function opened(chosen: Matrix, correlated: Matrix, ringBits: number): Matrix {
  return chosen.map((row, i) => row.map((share, j) => BigInt.asUintN(ringBits, share + correlated[i]![j]!)));
}

export function randomRing(bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(`0x${randomBytes(40).toString('hex')}`));
}

export function matrixOf(rows: number, columns: number, entry: (i: number, j: number) => bigint): Matrix {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => entry(i, j)));
}

export function randomCase(
  [rows, inner, columns]: readonly [number, number, number],
  entryBits: number,
  ringBits: number,
  part: Part = 'whole',
): Case {
  return {
    a: matrixOf(rows, inner, () => BigInt.asIntN(entryBits, randomRing(entryBits))),
    c: matrixOf(inner, columns, () => randomRing(ringBits)),
    entryBits,
    ringBits,
    part,
  };
}
