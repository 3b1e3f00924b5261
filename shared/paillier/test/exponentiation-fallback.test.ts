/** Exponentiation where OpenSSL does not compute it, or computes it wrongly. */
import crypto, { type DiffieHellman } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decrypt, encrypt, PaillierPool, SecretKey, selfTest, usesBigintFallback } from '../src/index.ts';
import { testKey } from './keys.ts';

type Open = (prime: Uint8Array, generator: number) => DiffieHellman;
const { createDiffieHellman } = crypto as { createDiffieHellman: Open };

/** An OpenSSL that computes, but wrongly. */
function wrongDiffieHellman(): DiffieHellman {
  return {
    setPrivateKey: () => undefined,
    computeSecret: () => Buffer.from([7]),
  } as unknown as DiffieHellman;
}

function replaceOpenSsl(by: Open): void {
  vi.spyOn(crypto as { createDiffieHellman: Open }, 'createDiffieHellman').mockImplementation(by);
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  selfTest({ allowBigintFallback: false });
});

function breakOpenSsl(how: 'refuses' | 'computes wrongly'): void {
  replaceOpenSsl(() => {
    if (how === 'refuses') throw new Error('disabled for FIPS');
    return wrongDiffieHellman();
  });
}

describe.each(['refuses', 'computes wrongly'] as const)('where OpenSSL %s', (how) => {
  it('the self-test fails, and so does whatever comes after it', () => {
    breakOpenSsl(how);
    const failure = expect.objectContaining({ code: 'ERR_OPENSSL_EXPONENTIATION' });
    expect(() => selfTest({ allowBigintFallback: false })).toThrow(failure);
    const { p, q } = testKey(512);
    const { publicKey } = new SecretKey({ p, q });
    expect(() => encrypt(publicKey, 5n, 'standard')).toThrow(failure);
  });

  it('BigInt arithmetic takes over only when that is allowed', () => {
    breakOpenSsl(how);
    selfTest({ allowBigintFallback: true });
    expect(usesBigintFallback()).toBe(true);
    const { p, q } = testKey(512);
    const key = new SecretKey({ p, q });
    for (const m of [0n, 1n, key.publicKey.n - 1n]) {
      const ciphertext = encrypt(key.publicKey, m, 'standard');
      expect(decrypt(key, ciphertext)).toBe(m);
    }
  });
});

it('decryption gives OpenSSL another base each time, and never one whose power is 1', () => {
  const bases: string[] = [];
  const results: string[] = [];
  replaceOpenSsl((modulus) => {
    const diffieHellman = createDiffieHellman(modulus, 2);
    const computeSecret = (base: Uint8Array) => {
      const result = diffieHellman.computeSecret(base);
      bases.push(Buffer.from(base).toString('hex'));
      results.push(result.toString('hex'));
      return result;
    };
    return { setPrivateKey: diffieHellman.setPrivateKey.bind(diffieHellman), computeSecret } as DiffieHellman;
  });
  const { p, q } = testKey(512);
  const key = new SecretKey({ p, q });
  const zero = encrypt(key.publicKey, 0n, 'standard');
  bases.length = 0;
  results.length = 0;
  for (let i = 0; i < 5; i += 1) expect(decrypt(key, zero)).toBe(0n);
  // Two halves per decryption, each computed once: a refused result would have been asked for twice.
  expect([bases.length, new Set(bases).size, new Set(results).size]).toEqual([10, 10, 10]);
});

it('a pool gives its workers the permission of the thread that made it', async () => {
  selfTest({ allowBigintFallback: true });
  const pool = new PaillierPool({ threads: 1 });
  try {
    // The workers' own OpenSSL is sound: what is shown is that the permission does not get in the way.
    const key = testKey(512);
    expect(await pool.decrypt(key, await pool.encrypt(key.publicKey, [3n], 'standard'))).toEqual([3n]);
  } finally {
    await pool.close();
  }
});
