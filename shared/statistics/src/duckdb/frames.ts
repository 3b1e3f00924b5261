/**
 * Messages between a process and the one that runs DuckDB for it: two lengths of four bytes, numbers as they lie in memory, and a value as `node:v8` writes
 * it. Numbers stand outside of the value, which would copy them several times.
 */
import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

const HEADER_BYTES = 8;

/** Writes a message with its numbers, whose memory is the stream's from then on. */
export function writeFrame(
  stream: Writable,
  message: unknown,
  numbers: Uint8Array = new Uint8Array(0),
): void {
  const value = serialize(message);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(numbers.length, 0);
  header.writeUInt32LE(value.length, 4);
  stream.cork();
  for (const part of [header, numbers, value]) stream.write(part);
  stream.uncork();
}

/** Tells every message that comes, whole and in order, with the memory in which its numbers lie one after the other. */
export function onFrames(stream: Readable, tell: (message: unknown, numbers: ArrayBuffer) => void): void {
  const header = Buffer.alloc(HEADER_BYTES);
  let body: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const target = body ?? header;
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
