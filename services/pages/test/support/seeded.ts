/** Bytes that a test can have again, in Node.js and in a browser: never for anything real. */
import { concatBytes, sha256 } from '@eigenveil/platform';

/** SHA-256 of the seed and a counter; each call goes on with new blocks. */
export function seeded(seed: string): (length: number) => Uint8Array {
  let block = 0;
  return (length) => {
    const blocks: Uint8Array[] = [];
    for (; 32 * blocks.length < length; block += 1) blocks.push(sha256(`${seed} ${block}`));
    return concatBytes(...blocks).slice(0, length);
  };
}
