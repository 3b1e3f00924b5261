/**
 * A pool of threads computes what the calling thread computes, and no thread keeps a secret key.
 *
 * @claims S-152
 */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CodedError } from '@eigenveil/platform';
import { afterAll, describe, expect, it } from 'vitest';
import { aggregateContributions } from '../../src/homomorphic.ts';
import {
  type Ciphertext,
  decodeCiphertexts,
  decrypt,
  encodeCiphertexts,
  PaillierPool,
} from '../../src/index.ts';
import { arrive, carry, perform } from '../../src/pool/jobs.ts';
import { standardTestKey, testKey } from '../keys.ts';

const key = testKey(512);
const { publicKey } = key;
const { n } = publicKey;
const pools = [0, 2].map((threads) => ({ threads, pool: new PaillierPool({ threads }) }));

// More than enough to be cut into a part per thread.
const plaintexts = Array.from({ length: 300 }, (_, i) => (BigInt(i) * n) / 300n);
const encrypted = await pools[0]!.pool.encrypt(publicKey, plaintexts, 'djn');

afterAll(async () => {
  await Promise.all(pools.map(({ pool }) => pool.close()));
});

describe.each(pools)('a pool of $threads threads', ({ pool }) => {
  const IN_ORDER = 'encrypts (%s) and decrypts in order';
  it.each([['djn', 70]] as const)(IN_ORDER, comesInOrder);
  it.each([['standard', 10]] as const)(IN_ORDER, { tags: ['long'] }, comesInOrder);
  async function comesInOrder(scheme: 'standard' | 'djn', count: number): Promise<void> {
    const some = plaintexts.slice(-count);
    const ciphertexts = await pool.encrypt(publicKey, some, scheme);
    expect(ciphertexts.map((c) => decrypt(key, c))).toEqual(some);
    expect(await pool.decrypt(key, ciphertexts)).toEqual(some);
  }

  it('decodes and aggregates as the calling thread does', async () => {
    const vectors = [encrypted, encrypted, encrypted];
    // In the middle of a larger buffer, as bytes from a network are.
    const contributions = vectors.map((vector) => {
      const bytes = encodeCiphertexts(publicKey, vector);
      const buffer = new Uint8Array(bytes.length + 14);
      buffer.set(bytes, 7);
      return buffer.subarray(7, 7 + bytes.length);
    });
    const decoded = await pool.decode(publicKey, contributions[0]!, 300);
    expect(decoded).toEqual(decodeCiphertexts(publicKey, contributions[0]!, 300));
    expect(await pool.check(publicKey, contributions[0]!, 300)).toBeUndefined();
    const sums = await pool.aggregate(publicKey, decoded, contributions.slice(1));
    expect(sums).toEqual(aggregateContributions(publicKey, decoded, contributions.slice(1)));
    expect(sums.slice(-20).map((c) => decrypt(key, c))).toEqual(
      plaintexts.slice(-20).map((m) => (3n * m) % n),
    );
  });

  it('makes keys', async () => {
    const made = await pool.generateKeyPair({ bits: 512, scheme: 'djn', allowInsecureKey: true });
    expect(made.publicKey.bits).toBe(512);
    expect(await pool.decrypt(made, await pool.encrypt(made.publicKey, [9n], 'djn'))).toEqual([9n]);
    const standard = await pool.generateKeyPair({ bits: 512, scheme: 'standard', allowInsecureKey: true });
    expect(standard.publicKey.h).toBeUndefined();
  });

  it('keeps keys apart', async () => {
    for (const round of [1n, 2n]) {
      for (const one of [key, standardTestKey(512)]) {
        expect(await pool.decrypt(one, await pool.encrypt(one.publicKey, [round], 'standard'))).toEqual([
          round,
        ]);
      }
    }
  });

  it('does nothing for nothing', async () => {
    expect(await pool.encrypt(publicKey, [], 'standard')).toEqual([]);
    expect(await pool.decode(publicKey, new Uint8Array(), 0)).toEqual([]);
    expect(await pool.aggregate(publicKey, [], [])).toEqual([]);
  });

  it('fails with the class, code and message of the calling thread', async () => {
    const bytes = encodeCiphertexts(publicKey, encrypted);
    bytes.fill(0, 299 * publicKey.ciphertextBytes);
    const failures: [() => Promise<unknown>, string, string][] = [
      [
        () => pool.encrypt(publicKey, [n], 'standard'),
        'ERR_PLAINTEXT_OUT_OF_RANGE',
        'plaintext 0 expected in [0, n)',
      ],
      [
        () => pool.encrypt(standardTestKey(512).publicKey, [1n], 'djn'),
        'ERR_SCHEME_UNAVAILABLE',
        'scheme "djn"',
      ],
      [
        () => pool.decode(publicKey, bytes, 300),
        'ERR_CIPHERTEXT_INVALID',
        'ciphertext 299 expected in (0, n^2)',
      ],
      [
        () => pool.check(publicKey, bytes, 300, 7),
        'ERR_CIPHERTEXT_INVALID',
        'ciphertext 306 expected in (0, n^2)',
      ],
      [() => pool.check(publicKey, bytes, 299), 'ERR_CIPHERTEXT_LENGTH', '299 ciphertexts expected'],
      [() => pool.decode(publicKey, bytes, 299), 'ERR_CIPHERTEXT_LENGTH', '299 ciphertexts expected'],
      [() => pool.aggregate(publicKey, [], [bytes]), 'ERR_CIPHERTEXT_LENGTH', '0 ciphertexts expected'],
      [
        () => pool.generateKeyPair({ bits: 1024, scheme: 'djn' }),
        'ERR_KEY_TOO_SHORT',
        'at least 2048 bits, got 1024',
      ],
    ];
    for (const [call, code, message] of failures) {
      const failure = call();
      await expect(failure).rejects.toBeInstanceOf(CodedError);
      await expect(failure).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    }
  });

  it('names the first of several bad ciphertexts, whichever thread found it', async () => {
    const bytes = encodeCiphertexts(publicKey, encrypted);
    for (const index of [120, 250]) {
      bytes.fill(0, index * publicKey.ciphertextBytes, (index + 1) * publicKey.ciphertextBytes);
    }
    await expect(pool.decode(publicKey, bytes, 300)).rejects.toThrow('ciphertext 120 ');
  });
});

describe('the life of a pool', () => {
  it.each([0, 1])('with %i threads ends after its running work, and only once', async (threads) => {
    const pool = new PaillierPool({ threads });
    const running = pool.encrypt(publicKey, [1n, 2n], 'standard');
    await Promise.all([pool.close(), pool.close()]);
    expect((await running).map((c) => decrypt(key, c))).toEqual([1n, 2n]);
    await expect(pool.encrypt(publicKey, [1n], 'standard')).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_POOL_CLOSED' }),
    );
    await pool.close();
  });

  it('leaves the calling thread free', async () => {
    const { pool } = pools[1]!;
    const large = testKey(2048);
    // Past the start of the worker.
    await pool.encrypt(large.publicKey, [1n], 'standard');
    const done: string[] = [];
    setImmediate(() => done.push('something else'));
    await pool.encrypt(large.publicKey, new Array(10).fill(1n), 'standard');
    expect(done).toEqual(['something else']);
  });

  it.each([-1, 1.5, Number.NaN])('refuses %d threads', (threads) => {
    expect(() => new PaillierPool({ threads })).toThrow(RangeError);
  });
});

describe('a secret key', () => {
  it('is in no thread any more soon after it was made and after it has decrypted', {
    tags: ['long'],
  }, async () => {
    const pool = new PaillierPool({ threads: 2 });
    const jobs = [
      () => pool.generateKeyPair({ bits: 512, scheme: 'standard', allowInsecureKey: true }),
      async () => pool.decrypt(key, await pool.encrypt(publicKey, [1n, 2n, 3n], 'djn')),
      () => pool.decrypt(key, [0n as Ciphertext]).catch(() => undefined), // one that fails
    ];
    for (const job of jobs) {
      const running = job();
      await expect.poll(() => pool.threadsWithSecrets).toBeGreaterThan(0);
      await running;
      await expect.poll(() => pool.threadsWithSecrets).toBe(0);
    }
    await pool.close();
  });

  it('is overwritten where it was carried, and has to be carried anew for another job', async () => {
    const carrier = carry(key);
    const [ciphertext] = await pools[0]!.pool.encrypt(publicKey, [7n], 'djn');
    expect(await perform('decrypt', [carrier, [ciphertext!]])).toEqual([7n]);
    expect(carrier.primes.every((byte) => byte === 0)).toBe(true);
    await expect(perform('decrypt', [carrier, [ciphertext!]])).rejects.toThrow();
    expect(await perform('decrypt', [carry(key), [ciphertext!]])).toEqual([7n]);
  });

  it('arrives as it was', () => {
    for (const one of [key, standardTestKey(512), testKey(2048)])
      expect(arrive(carry(one)).toJSON()).toEqual(one.toJSON());
  });
});

describe('the package as JavaScript', () => {
  it('finds its worker', { tags: ['long'] }, async () => {
    const source = fileURLToPath(new URL('../../src', import.meta.url));
    const target = await mkdtemp(join(tmpdir(), 'eigenveil-paillier-'));
    try {
      // What the compiler does with `rewriteRelativeImportExtensions`, without starting a compiler.
      for (const name of globSync('**/*.ts', { cwd: source })) {
        const code = stripTypeScriptTypes(await readFile(join(source, name), 'utf8'));
        await mkdir(dirname(join(target, name)), { recursive: true });
        await writeFile(
          join(target, name.replace(/ts$/, 'js')),
          code.replaceAll(/(from '\.\.?\/.*)\.ts'/g, "$1.js'"),
        );
      }
      await writeFile(
        join(target, 'package.json'),
        '{"type":"module","imports":{"#nth-powers":"./arithmetic/nth-powers.js"}}',
      );
      const piscina = dirname(dirname(dirname(fileURLToPath(import.meta.resolve('piscina')))));
      await symlink(piscina, join(target, 'node_modules'));
      const script = `
        import { PaillierPool } from './index.js';
        const pool = new PaillierPool({ threads: 1 });
        const key = await pool.generateKeyPair({ bits: 512, scheme: 'djn', allowInsecureKey: true });
        console.log((await pool.decrypt(key, await pool.encrypt(key.publicKey, [42n], 'djn')))[0]);
        await pool.close();`;
      await writeFile(join(target, 'main.js'), script);
      const { stdout } = await promisify(execFile)(process.execPath, [join(target, 'main.js')]);
      expect(stdout.trim()).toBe('42n');
    } finally {
      await rm(target, { recursive: true });
    }
  });
});
