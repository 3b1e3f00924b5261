/** A service's data directory, and the proofs that come with requests. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { CodedError } from '@eigenveil/platform';
import { CODES, createProof, generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { type BackupRules, makeBackup } from '../../src/database/backup.ts';
import {
  adminTokenFile,
  databaseFile,
  openFoundation,
  openSigningKey,
  ProofChecker,
  proofTokenOf,
} from '../../src/index.ts';
import { checkService, Findings } from '../../src/start/check.ts';
import { lockDirectory } from '../../src/start/foundation.ts';
import type { ServiceConfiguration } from '../../src/start/service.ts';
import { temporaryDirectory } from '../temporary.ts';

const messageWith = (members: object) => Object.assign(new IncomingMessage(new Socket()), members);

describe('a data directory', () => {
  test('is made at the first start and gives the same keys at the next', async () => {
    const dataDirectory = `${await temporaryDirectory()}/deep/down`;
    const first = await openFoundation({ dataDirectory });
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
    const names = await readdir(dataDirectory);
    expect(names.toSorted()).toStrictEqual(['admin-token', 'key-encryption-key', 'signing-key.json']);
    for (const name of names) expect((await stat(`${dataDirectory}/${name}`)).mode & 0o777).toBe(0o600);
    const again = await openFoundation({ dataDirectory });
    expect(again.key.thumbprint).toBe(first.key.thumbprint);
    expect((await openSigningKey(dataDirectory)).thumbprint).toBe(first.key.thumbprint);
    expect(again.adminToken.current).toBe(first.adminToken.current);
    const sealed = first.sealer.seal('a/b/c', Buffer.from('secret'));
    expect(Buffer.from(again.sealer.open('a/b/c', sealed)).toString()).toBe('secret');
  });

  test('can leave the sealing key to another volume', async () => {
    const directory = await temporaryDirectory();
    await openFoundation({ dataDirectory: `${directory}/data`, keyEncryptionKey: `${directory}/kek` });
    expect(await readdir(`${directory}/data`)).not.toContain('key-encryption-key');
    expect((await stat(`${directory}/kek`)).mode & 0o777).toBe(0o600);
  });

  test('with a secret that others can read is refused', async () => {
    const dataDirectory = await temporaryDirectory();
    await writeFile(adminTokenFile(dataDirectory), 'x'.repeat(43), { mode: 0o644 });
    await expect(openFoundation({ dataDirectory })).rejects.toMatchObject({ code: 'ERR_KEY_FILE' });
  });
});

test('of a signing key that is damaged no part is repeated: not at a start, by check-config, or by a backup', async () => {
  const dataDirectory = await temporaryDirectory();
  await openFoundation({ dataDirectory });
  const file = `${dataDirectory}/signing-key.json`;
  const text = await readFile(file, 'utf8');
  const { d } = JSON.parse(text) as { d: string };
  await writeFile(file, text.replace(`"${d}"`, d)); // JSON.parse would tell of the characters from here on
  await writeFile(databaseFile(dataDirectory), '');
  const findings = new Findings();
  const tls = { tlsCertificate: file, tlsKey: file, host: '127.0.0.1', port: 0 };
  await checkService(findings, { ...(tls as ServiceConfiguration), dataDirectory }, undefined);
  const found = findings.all.find(({ check }) => check === 'signing key')!;
  expect(found).toMatchObject({ state: 'bad', detail: expect.stringMatching(/^ERR_KEY_FILE: /) });
  const rules = {} as BackupRules; // nothing of them is asked for before the key
  const errors = await Promise.all(
    [openFoundation({ dataDirectory }), makeBackup(rules, dataDirectory, `${dataDirectory}/backup`)].map(
      (attempt) => attempt.catch((error: unknown) => error),
    ),
  );
  for (const error of errors) expect(error).toMatchObject({ code: 'ERR_KEY_FILE' });
  const said = found.detail + errors.map((error) => inspect(error, { depth: 9 })).join();
  for (let i = 0; i + 8 <= d.length; i += 1) expect(said).not.toContain(d.slice(i, i + 8));
});

test('a data directory serves one service at a time', async () => {
  const directory = await temporaryDirectory();
  const lock = lockDirectory(directory);
  const inUse = expect.objectContaining({ code: 'ERR_DATA_DIRECTORY_IN_USE' });
  expect(() => lockDirectory(directory)).toThrow(inUse);
  lock.release();
  lockDirectory(directory).release();
});

describe('a request proof', async () => {
  const key = await importSigningKey(await generatePrivateJwk());
  const url = 'https://csp.example.org:8443';
  const leg = 'from an owner to the CSP';
  const request = (dpop: unknown, path = '/tasks', method = 'POST') =>
    messageWith({ headers: { dpop }, url: path, method });
  const proof = (path = '/tasks', token?: string) =>
    createProof(key, { method: 'POST', url: url + path, token });

  test('admits its key once', async () => {
    const proofs = new ProofChecker(leg, () => url);
    const dpop = await proof();
    const admitted = await proofs.check(request(dpop), undefined, ({ thumbprint }) => thumbprint);
    expect(admitted).toBe(key.thumbprint);
    await expect(proofs.check(request(dpop), undefined, () => 1)).rejects.toMatchObject({
      code: 'ERR_PROOF_REPLAYED',
    });
    expect(await proofs.check(request(await proof()), undefined, () => 'another')).toBe('another');
  });

  test('is not used up by a request that is refused', async () => {
    const proofs = new ProofChecker(leg, () => url);
    const dpop = await proof();
    const refuse = () => {
      throw new CodedError(CODES.ERR_AUTH_FORBIDDEN, 'not you');
    };
    await expect(proofs.check(request(dpop), undefined, refuse)).rejects.toMatchObject({
      code: 'ERR_AUTH_FORBIDDEN',
    });
    expect(await proofs.check(request(dpop), undefined, () => 'admitted')).toBe('admitted');
  });

  test('that is only verified is used up when the route says so', async () => {
    const proofs = new ProofChecker(leg, () => url);
    const message = request(await proof());
    await proofs.verify(message, undefined);
    const verified = await proofs.verify(message, undefined);
    expect(verified.thumbprint).toBe(key.thumbprint);
    await proofs.useUp(verified);
    await expect(proofs.useUp(verified)).rejects.toMatchObject({ code: 'ERR_PROOF_REPLAYED' });
    await expect(proofs.check(message, undefined, () => 1)).rejects.toMatchObject({
      code: 'ERR_PROOF_REPLAYED',
    });
  });

  test('is for one method, path, address and token', async () => {
    const proofs = new ProofChecker(leg, () => url);
    const elsewhere = new ProofChecker(leg, () => 'https://other.example.org');
    const forTasks = await proof();
    const withToken = await proof('/tasks', 'token');
    const attempts = [
      () => proofs.check(request(forTasks, '/tasks/1'), undefined, () => 1),
      () => proofs.check(request(forTasks, '/tasks', 'DELETE'), undefined, () => 1),
      () => elsewhere.check(request(forTasks), undefined, () => 1),
      () => proofs.check(request(forTasks), 'token', () => 1),
      () => proofs.check(request(withToken), undefined, () => 1),
      () => proofs.check(request(withToken), 'another', () => 1),
      () => proofs.check(request(undefined), undefined, () => 1),
      () => proofs.check(request('nonsense'), undefined, () => 1),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({ code: 'ERR_AUTH_REQUIRED' });
    expect(await proofs.check(request(withToken), 'token', () => 'admitted')).toBe('admitted');
  });

  test.each([
    ['DPoP abc', 'abc'],
    ['dpop abc', 'abc'],
    ['Bearer abc', undefined],
    ['DPoP', undefined],
    ['DPoP ', undefined],
    ['DPoP a b', undefined],
    [undefined, undefined],
  ])('comes with authorization %s', (authorization, token) => {
    const message = messageWith({ headers: { authorization } });
    if (token !== undefined) expect(proofTokenOf(message, 'an owner token')).toBe(token);
    else
      expect(() => proofTokenOf(message, 'an owner token')).toThrow(
        expect.objectContaining({ code: 'ERR_AUTH_REQUIRED' }),
      );
  });
});
