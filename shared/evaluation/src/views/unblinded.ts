/**
 * A fault to plant, by `node --import`: the data user's blinding values are zeros, so that the CSP decrypts the statistics themselves. It
 * looks at who draws, so it does nothing in processes and for draws of any other kind.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { randomBytes } = crypto;

function draw(size: number, callback?: (error: Error | null, bytes: Buffer) => void): Buffer | undefined {
  if (callback !== undefined) {
    randomBytes(size, callback);
    return undefined;
  }
  const drawn = randomBytes(size);
  return new Error('who draws').stack!.includes('drawBlinding') ? drawn.fill(0) : drawn;
}

crypto.randomBytes = draw as typeof randomBytes;
syncBuiltinESMExports();
