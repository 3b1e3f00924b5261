/** Ω of a sketched task: signs that everybody makes from the seed that the CSP's agreement fixes. */
import { concatBytes, sha256, utf8 } from '@eigenveil/platform';

const DOMAIN = utf8('eigenveil sketch signs 1\0');
const SEED_BYTES = 32;
const COUNTER_BYTES = 4;

/**
 * Ω (features × columns), row by row, each entry 1 or −1: block n of 256 of them is SHA-256(domain, seed, n), whose bits say 1 where they are 0, each byte's lowest
 * bit first. Whoever knows the seed knows Ω: it is public.
 * @param seed 32 bytes, as sketchSeed gives them
 * @throws RangeError for another length
 */
export function sketchSigns(seed: Uint8Array, features: number, columns: number): Int8Array {
  if (seed.length !== SEED_BYTES)
    throw new RangeError(`"seed" expected ${SEED_BYTES} bytes, got ${seed.length}`);
  const signs = new Int8Array(features * columns);
  const input = concatBytes(DOMAIN, seed, new Uint8Array(COUNTER_BYTES));
  const counter = new DataView(input.buffer, input.length - COUNTER_BYTES);
  for (let block = 0, at = 0; at < signs.length; block += 1) {
    counter.setUint32(0, block);
    for (const byte of sha256(input)) {
      for (let bit = 0; bit < 8 && at < signs.length; bit += 1, at += 1)
        signs[at] = 1 - 2 * ((byte >> bit) & 1);
    }
  }
  return signs;
}
