/** What the data user draws once for a task, sealed as it is kept: JSON of decimal numbers. */
import type { Drawn } from '@eigenveil/protocol/servers';
import type { Sealer } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { blindingPlace } from './store.ts';

/** Numbers that are written, and bytes that are read, at a time: a string for each number of a sketch would take a hundred megabytes. */
const WRITTEN_AT_ONCE = 8192;
const READ_AT_ONCE = 256 * 1024;

const BLINDING = '{"blinding":[';
const NOISE = '],"noise":[';
const END = ']}';

export function sealDrawn(sealer: Sealer, taskId: TaskId, drawn: Drawn): Uint8Array {
  return sealer.seal(blindingPlace(taskId), textOf(drawn));
}

export function openDrawn(sealer: Sealer, taskId: TaskId, sealed: Uint8Array): Drawn {
  const { buffer, byteOffset, length } = sealer.open(blindingPlace(taskId), sealed);
  const bytes = Buffer.from(buffer, byteOffset, length);
  const noise = bytes.indexOf(NOISE);
  return {
    blinding: read(bytes, BLINDING.length, noise),
    noise: read(bytes, noise + NOISE.length, length - END.length),
  };
}

function* textOf({ blinding, noise }: Drawn): Generator<Uint8Array> {
  yield Buffer.from(BLINDING);
  yield* written(blinding);
  yield Buffer.from(NOISE);
  yield* written(noise);
  yield Buffer.from(END);
}

function* written(values: readonly bigint[]): Generator<Buffer> {
  for (let from = 0; from < values.length; from += WRITTEN_AT_ONCE) {
    const part = values.slice(from, from + WRITTEN_AT_ONCE).join('","');
    yield Buffer.from(`${from > 0 ? ',' : ''}"${part}"`);
  }
}

function read(bytes: Buffer, from: number, to: number): bigint[] {
  const values: bigint[] = [];
  for (let start = from; start < to; ) {
    const comma = bytes.indexOf(',', start + READ_AT_ONCE);
    const end = comma < 0 || comma > to ? to : comma;
    const part = JSON.parse(`[${bytes.toString('latin1', start, end)}]`) as string[];
    for (const digits of part) values.push(digits === '0' ? 0n : BigInt(digits)); // most noise is the same 0
    start = end + 1;
  }
  return values;
}
