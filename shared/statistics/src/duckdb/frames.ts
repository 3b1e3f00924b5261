/** Messages between a process and the one that runs DuckDB for it: a length of four bytes, then a value as `node:v8` writes it. */
import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

const HEADER_BYTES = 4;

/** Writes a message. */
export function writeFrame(stream: Writable, message: unknown): void {
  const body = serialize(message);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(body.length);
  stream.cork();
  stream.write(header);
  stream.write(body);
  stream.uncork();
}

/** Tells every message that comes, whole and in order. */
export function onFrames(stream: Readable, tell: (message: unknown) => void): void {
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
      if (body === undefined)
        body = Buffer.allocUnsafeSlow(header.readUInt32LE()); // of its own: what is made of it refers to it
      else {
        const whole = body;
        body = undefined;
        tell(deserialize(whole));
      }
    }
  });
}
