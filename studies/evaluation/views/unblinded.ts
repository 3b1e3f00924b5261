/**
 * A fault to plant, by `node --import`: the data user's blinding values are zeros, so that the CSP decrypts the statistics themselves. It
 * looks at who draws, so it does nothing in processes and for draws of any other kind.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { randomFillSync } = crypto;

/** Fills whole arrays, as whatever draws in this project does. */
function draw(buffer: Uint8Array): Uint8Array {
  randomFillSync(buffer);
  return new Error('who draws').stack!.includes('drawBlinding') ? buffer.fill(0) : buffer;
}

crypto.randomFillSync = draw as typeof randomFillSync;
syncBuiltinESMExports();
