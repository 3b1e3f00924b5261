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

/**
 * Part by part: three copies of the text of a sketch would be seventy megabytes.
 * @throws ERR_SEAL_BROKEN, Error for another text, of which it repeats nothing
 */
export function openDrawn(sealer: Sealer, taskId: TaskId, sealed: Uint8Array): Drawn {
  const blinding: bigint[] = [];
  const noise: bigint[] = [];
  let values = blinding;
  for (const text of listsIn(sealer.openParts(blindingPlace(taskId), sealed))) {
    const [list, ofNoise, ...others] = text.split(NOISE);
    append(values, list!);
    if (ofNoise === undefined) continue;
    if (values === noise || others.length > 0) throw otherText();
    values = noise;
    append(values, ofNoise);
  }
  if (values === blinding) throw otherText();
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

/** The same text without its ends, in pieces that end with a number. */
function* listsIn(parts: Iterable<Buffer>): Generator<string> {
  let rest: string | undefined;
  for (const part of parts) {
    let text = part.toString('latin1');
    if (rest !== undefined) text = rest + text;
    else if (text.startsWith(BLINDING)) text = text.slice(BLINDING.length);
    else throw otherText();
    const end = text.lastIndexOf(SEPARATOR);
    if (end >= 0) yield text.slice(0, end);
    rest = end < 0 ? text : text.slice(end + SEPARATOR.length);
  }
  if (rest?.endsWith(END) !== true) throw otherText();
  yield rest.slice(0, -END.length);
}

function append(values: bigint[], list: string): void {
  for (const digits of list.split(SEPARATOR)) {
    // BigInt takes other texts, too, and an error of its own would repeat what it does not take.
    if (!/^-?\d+$/.test(digits)) throw otherText();
    values.push(digits === '0' ? 0n : BigInt(digits)); // most noise is the same 0
  }
}

function otherText(): Error {
  return new Error('what was drawn expected as JSON of decimal numbers, as data users write it');
}
