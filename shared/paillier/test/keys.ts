/** Keys with fixed primes, so that tests spend no time on making them. They are public: never use them elsewhere. */

import { SecretKey } from '../src/index.ts';
import keys from './data/keys.json' with { type: 'json' };

export type TestKeyBits = 512 | 1024 | 2048 | 3072;

const cache = new Map<TestKeyBits, SecretKey>();

/** A Damgard-Jurik-Nielsen key, which also works with the standard scheme. */
export function testKey(bits: TestKeyBits): SecretKey {
  let key = cache.get(bits);
  if (key === undefined) {
    key = SecretKey.fromJSON(keys[bits], { allowInsecureKey: true });
    cache.set(bits, key);
  }
  return key;
}

/** The same key without its h. */
export function standardTestKey(bits: TestKeyBits): SecretKey {
  const { p, q } = testKey(bits);
  return new SecretKey({ p, q });
}

/** What a call throws, for looking at its code and message. */
export function errorOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
