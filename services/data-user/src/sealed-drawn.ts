/** What the data user draws once for a task, sealed as it is kept: JSON of decimal numbers. */
import type { Drawn } from '@eigenveil/protocol/servers';
import type { Sealer } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { blindingPlace } from './store.ts';

/** Numbers that are written at a time: a string for each number of a sketch would take a hundred megabytes. */
const WRITTEN_AT_ONCE = 8192;

const BLINDING = '{"blinding":["';
const NOISE = '"],"noise":["';
const END = '"]}';
/** Between two numbers, and nowhere else. */
const SEPARATOR = '","';

export function sealDrawn(sealer: Sealer, taskId: TaskId, drawn: Drawn): Uint8Array {
  return sealer.seal(blindingPlace(taskId), textOf(drawn));
}

export function openDrawn(sealer: Sealer, taskId: TaskId, sealed: Uint8Array): Drawn {
  const blinding: bigint[] = [];
  const noise: bigint[] = [];
  for (const text of listsIn(sealer.openParts(blindingPlace(taskId), sealed))) {
    const [first, second] = text.replace(BLINDING, '').replace(END, '').split(NOISE);
    // After the first number of noise there is no other blinding.
    if (noise.length > 0) append(noise, first!);
    else append(blinding, first!);
    if (second !== undefined) append(noise, second);
  }
  return { blinding, noise };
}

function* textOf({ blinding, noise }: Drawn): Generator<Uint8Array> {
  yield Buffer.from(BLINDING);
  yield* written(blinding);
  yield Buffer.from(NOISE);
  yield* written(noise);
  yield Buffer.from(END);
}

/** @param values at least one, as there are of a task */
function* written(values: readonly bigint[]): Generator<Buffer> {
  for (let from = 0; from < values.length; from += WRITTEN_AT_ONCE) {
    const part = values.slice(from, from + WRITTEN_AT_ONCE).join(SEPARATOR);
    yield Buffer.from(`${from > 0 ? SEPARATOR : ''}${part}`);
  }
}

/** The same text in pieces that end with a number. */
function* listsIn(parts: Iterable<Buffer>): Generator<string> {
  let rest = '';
  for (const part of parts) {
    const text = rest + part.toString('latin1');
    const end = text.lastIndexOf(SEPARATOR);
    if (end >= 0) yield text.slice(0, end);
    rest = end < 0 ? text : text.slice(end + SEPARATOR.length);
  }
  yield rest;
}

function append(values: bigint[], list: string): void {
  for (const digits of list.split(SEPARATOR)) values.push(digits === '0' ? 0n : BigInt(digits)); // most noise is the same 0
}
