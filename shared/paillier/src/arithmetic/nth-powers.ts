/** r^n mod n^2 in OpenSSL's constant-time exponentiation. `nth-powers.browser.ts` stands in its place where there is no Node.js. */

import type { PublicKey } from '../keys/public-key.ts';
import { Exponentiator } from './exponentiation.ts';

/** r to r^n mod n^2, for 0 < r < n. @throws ERR_OPENSSL_EXPONENTIATION as Exponentiator */
export function nthPowers({ n, nSquared }: PublicKey): (r: bigint) => bigint {
  const exponentiator = new Exponentiator(nSquared);
  return (r) => exponentiator.power(r, n);
}
