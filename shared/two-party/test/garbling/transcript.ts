/** Looks in what a garbler sent for what must never be there. */
import { GARBLING_MESSAGE } from '../../src/garbling/messages.ts';
import type { Run } from '../support/garbled-run.ts';
import { messagesOf } from '../support/views.ts';

export type Finding =
  | 'reused delta'
  | 'reused label'
  | 'reused tweak'
  | 'unexpected message'
  | 'telling select bit';

/** What an observer knows of a program beforehand. */
export interface Public {
  /** Types and lengths of the garbler's messages. */
  readonly shape: readonly { readonly type: number; readonly length: number }[];
  /** Pairs of gates (their places in the first block) that have the same two inputs. */
  readonly twins: readonly (readonly [number, number])[];
  /** What the garbler put in. An observer does not know it, but must not be able to tell it from other bits. */
  readonly garblerBits: Uint8Array;
}

const KEY_BYTES = 16;

/** Everything that is wrong with some runs of one program on the same inputs. */
export function audit(runs: readonly Run[], known: Public): Set<Finding> {
  const findings = new Set<Finding>();
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const deltas = runs.map((run) => hex(run.dealer.delta));
  if (new Set(deltas).size < runs.length) findings.add('reused delta');

  const labels: string[] = [];
  let equal = 0;
  let inputs = 0;
  for (const run of runs) {
    const messages = messagesOf(run.fromGarbler);
    const shape = messages.map(({ type, payload }) => ({ type, length: payload.length }));
    if (JSON.stringify(shape) !== JSON.stringify(known.shape)) findings.add('unexpected message');
    for (const { type, payload } of messages) {
      if (type !== GARBLING_MESSAGE.inputLabels) continue;
      for (let i = 0; i < payload.length; i += 16) labels.push(hex(payload.subarray(i, i + 16)));
    }
    for (const zero of run.dealer.zeros) {
      for (let i = 0; i < zero.length; i += 16) labels.push(hex(zero.subarray(i, i + 16)));
    }
    const block = messages.find(({ type }) => type === GARBLING_MESSAGE.block)!.payload;
    const table = (gate: number) => block.subarray(KEY_BYTES + 32 * gate, KEY_BYTES + 32 * gate + 32);
    for (const [one, other] of known.twins) {
      if (hex(table(one)) === hex(table(other))) findings.add('reused tweak');
    }
    const input = messages.find(({ type }) => type === GARBLING_MESSAGE.inputLabels)!.payload;
    for (const [i, bit] of known.garblerBits.entries()) equal += (input[16 * i]! & 1) === bit ? 1 : 0;
    inputs += known.garblerBits.length;
  }
  if (new Set(labels).size < labels.length) findings.add('reused label');
  // Eight standard deviations of a fair coin.
  if (Math.abs(equal - inputs / 2) > 4 * Math.sqrt(inputs)) findings.add('telling select bit');
  return findings;
}
