/**
 * Oblivious transfer between the garbler, which sends, and the evaluator, which receives: set-up with 128 base transfers,
 * then any number of correlated transfers, whose messages are wire labels.
 */
import type { MessageStream } from '../channel/message-stream.ts';
import { ExtensionReceiver, ExtensionSender, ROW_BYTES } from './extension.ts';
import { type RandomSource, systemRandomness } from './randomness.ts';

/** A secret that the transfers of one session share. */
export function drawDelta(random: RandomSource = systemRandomness): Uint8Array {
  const delta = Uint8Array.from(random(ROW_BYTES));
  delta[0] = delta[0]! | 1;
  return delta;
}

/** The sender's end; `delta` (16 bytes, lowest bit of the first 1) is a secret that must be drawn for this session. */
export function setUpSender(
  stream: MessageStream,
  delta: Uint8Array,
  random: RandomSource = systemRandomness,
): Promise<ExtensionSender> {
  return ExtensionSender.setUp({ stream, random }, delta);
}

export function setUpReceiver(
  stream: MessageStream,
  random: RandomSource = systemRandomness,
): Promise<ExtensionReceiver> {
  return ExtensionReceiver.setUp({ stream, random });
}

export type { Block, ExtensionReceiver, ExtensionSender } from './extension.ts';
