/** A fixed piece of work, timed in turn with what is measured: how fast the machine was just then. */
import { createCipheriv } from 'node:crypto';

const BLOCK_BYTES = 64 * 1024;
const BLOCKS = 4096;
const SQUARINGS = 100_000;

/** Seconds for 256 MB of AES-128 and 100,000 squarings modulo a number of 256 bits: what products and the work around them are made of. */
export function referenceSeconds(): number {
  const started = performance.now();
  const cipher = createCipheriv('aes-128-ecb', new Uint8Array(16), null);
  const block = new Uint8Array(BLOCK_BYTES);
  for (let i = 0; i < BLOCKS; i += 1) cipher.update(block);
  let value = 3n;
  for (let i = 0; i < SQUARINGS; i += 1) value = BigInt.asUintN(256, value * value + 1n);
  return (performance.now() - started) / 1000;
}
