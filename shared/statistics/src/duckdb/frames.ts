/**
 * Messages between a process and the one that runs DuckDB for it: two lengths of four bytes, numbers as they lie in memory, and a value as `node:v8` writes
 * it. Numbers stand outside of the value, which would copy them several times.
 */
import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

const HEADER_BYTES = 8;
type Numbers = Float64Array | BigInt64Array;

/** Writes a message with its numbers, whose memory is the stream's from then on. */
export function writeFrame(stream: Writable, message: unknown, numbers: readonly Numbers[] = []): void {
  const value = serialize(message);
  const arrays = numbers.filter(({ length }) => length > 0);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(
    arrays.reduce((bytes, { byteLength }) => bytes + byteLength, 0),
    0,
  );
  header.writeUInt32LE(value.length, 4);
  stream.cork();
  stream.write(header);
  for (const { buffer, byteOffset, byteLength } of arrays)
    stream.write(Buffer.from(buffer, byteOffset, byteLength));
  stream.write(value);
  stream.uncork();
}

/** Tells every message that comes, whole and in order, with the memory in which its numbers lie one after the other. */
export function onFrames(stream: Readable, tell: (message: unknown, numbers: ArrayBufferLike) => void): void {
  const header = Buffer.alloc(HEADER_BYTES);
  let body: Buffer | undefined;
  let filled = 0;
  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const target: Buffer = body ?? header;
      const copied = chunk.copy(target, filled, at);
      at += copied;
      filled += copied;
      if (filled < target.length) return;
      filled = 0;
      const numbersBytes = header.readUInt32LE(0);
      if (body === undefined) {
        // Of its own and from its beginning, so that the numbers are aligned.
        body = Buffer.allocUnsafeSlow(numbersBytes + header.readUInt32LE(4));
      } else {
        const whole = body;
        body = undefined;
        tell(deserialize(whole.subarray(numbersBytes)), whole.buffer);
      }
    }
  });
}
