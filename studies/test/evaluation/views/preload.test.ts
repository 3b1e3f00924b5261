/** The tape has everything that a process draws, and there is no source in what is shipped that the recorder does not know. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTapes } from '../../../evaluation/views/tape.ts';
import { TAPE_FOLDER } from '../../../evaluation/views/tape-folder.ts';

const PRELOAD = new URL('../../../evaluation/views/preload.ts', import.meta.url).pathname;
const PROGRAM = new URL('./draws.ts', import.meta.url).pathname;
const ROOT = new URL('../../../../', import.meta.url).pathname;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a process with the recorder', () => {
  test('has every draw on its tape, in order and once, in workers too, and says loudly what happens', async () => {
    const env = { ...process.env, [TAPE_FOLDER]: folder };
    const args = ['--import', PRELOAD, PROGRAM];
    const { stdout, stderr, pid } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(stderr).toMatch(/WARNING: EVERY SECRET of this process \(\d+\) IS BEING RECORDED/);
    expect(stderr.match(/WARNING/g)).toHaveLength(1);
    const threads = JSON.parse(stdout) as string[][];
    expect(threads[0]!.length).toBeGreaterThan(15);
    const { pid: recorded, draws } = await readTapes(folder);
    expect(recorded).toBe(pid);
    const taped = [0, 1].map((thread) =>
      draws.filter((draw) => draw.thread === thread).map(({ bytes }) => bytes.toString('hex')),
    );
    expect(taped).toEqual(threads);
  });

  test('does not start where its tape has no place', () => {
    const { [TAPE_FOLDER]: _, ...env } = process.env;
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', PRELOAD, PROGRAM], {
      env,
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(TAPE_FOLDER);
  });
});

/** What the recorder has on the tape … */
const RECORDED = new Set([
  ...['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID', 'getRandomValues'],
  ...['generateKey', 'generateKeyPair', 'generatePrime', 'generatePrimeSync'],
]);
/** … what draws nothing: functions of what they are given, an ECDH whose keys are on the tape when it draws them … */
const DETERMINISTIC = new Set([
  ...[
    'createCipheriv',
    'createDecipheriv',
    'DecipherGCM',
    'createHash',
    'createHmac',
    'createSecretKey',
    'hash',
    'hkdfSync',
  ],
  ...['timingSafeEqual', 'createPrivateKey', 'createPublicKey', 'X509Certificate'],
  ...[
    'createECDH',
    'ECDH',
    'createDiffieHellman',
    'DiffieHellman',
    'KeyObject',
    'Cipheriv',
    'Decipheriv',
    'CipherGCM',
    'Hash',
    'Hmac',
  ],
]);
/** … and what draws within OpenSSL nothing that leaves it: the witnesses of a prime test. */
const INSIDE = new Set(['checkPrimeSync']);

/** Names that a source takes from node:crypto or WebCrypto and that nobody has judged. */
function unknownSources(source: string): string[] {
  const imports = [...source.matchAll(/import (?:type )?\{([^}]*)\} from 'node:crypto'/g)];
  const names = imports.flatMap(([, list]) =>
    list!.split(',').map((name) => name.trim().replace(/^type /, '')),
  );
  const members = [...source.matchAll(/\b(?:crypto|webcrypto|subtle)\.(\w+)\(/g)].map(([, name]) => name!);
  const whole = /import (?:\* as )?\w+(?:, \{[^}]*\})? from 'node:crypto'/.test(source)
    ? ['node:crypto']
    : [];
  return [...names.filter((name) => name !== ''), ...members, ...whole].filter(
    (name) => ![RECORDED, DETERMINISTIC, INSIDE].some((known) => known.has(name)),
  );
}

describe('sources of randomness in what is shipped', () => {
  const shipped = globSync('{shared,services}/*/package.json', { cwd: ROOT })
    .filter(
      (manifest) =>
        // Pages run in browsers, which nothing here records.
        !/^(?:services\/pages|shared\/made-up)\//.test(manifest),
    )
    .flatMap((manifest) =>
      globSync(`${manifest.replace('package.json', '')}{src,bin}/**/*.ts`, { cwd: ROOT }),
    );

  test('are all on the tape, or judged to draw nothing that leaves OpenSSL', () => {
    expect(shipped.length).toBeGreaterThan(200);
    const unknown = shipped.flatMap((file) =>
      unknownSources(readFileSync(join(ROOT, file), 'utf8')).map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
    const drawing = shipped.filter((file) => /\brandomBytes\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(drawing.length).toBeGreaterThan(5); // the search sees something
  });

  test('are recorded by nothing that is shipped', () => {
    const recording = shipped.filter((file) =>
      /@eigenveil\/evaluation|EIGENVEIL_EVALUATION|tls-keylog/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(recording).toEqual([]);
  });

  test('that are new would be found', () => {
    expect(unknownSources("import { createHash, encapsulate } from 'node:crypto';")).toEqual(['encapsulate']);
    expect(unknownSources("import crypto from 'node:crypto';")).toEqual(['node:crypto']);
    expect(unknownSources("import * as all from 'node:crypto';")).toEqual(['node:crypto']);
    expect(unknownSources('await crypto.subtle.encapsulateBits(key);')).toEqual(['encapsulateBits']);
    expect(unknownSources("import { randomBytes, type KeyObject } from 'node:crypto';")).toEqual([]);
  });
});
