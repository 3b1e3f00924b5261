/**
 * No secret reaches logs, refusals, metrics or the audit log.
 *
 * @claims S-83
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { inviteOwners, readAudit } from '@eigenveil/csp';
import { PaillierPool, type SecretKey } from '@eigenveil/paillier';
import { adminTokenFile, createLogger, loadOrCreateKeyRing } from '@eigenveil/server';
import { flatten } from '@eigenveil/statistics';
import { Thumbprint } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { type Message, send, textOf } from './support/requests.ts';
import { dataFile, exampleOf, reference, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

/** Remembers every secret that passes through it. */
class WatchedPool extends PaillierPool {
  readonly secrets: bigint[] = [];

  override async generateKeyPair(...args: Parameters<PaillierPool['generateKeyPair']>): Promise<SecretKey> {
    const key = await super.generateKeyPair(...args);
    this.secrets.push(key.p, key.q);
    return key;
  }

  override async encrypt(...args: Parameters<PaillierPool['encrypt']>) {
    this.secrets.push(...args[1]);
    return super.encrypt(...args);
  }

  override async decrypt(...args: Parameters<PaillierPool['decrypt']>) {
    const plaintexts = await super.decrypt(...args);
    this.secrets.push(...plaintexts);
    return plaintexts;
  }
}

/** The ways in which a number could turn up in a line of text. */
function spellings(secret: bigint): string[] {
  const hex = secret.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return [secret.toString(), hex, bytes.toString('base64url'), bytes.toString('base64')];
}

/** Requests that carry a secret in every place that a mistaken client could put it. */
function misplaced(secret: string): Message[] {
  const ask = (path: string, headers: Record<string, string> = {}) => ({ method: 'GET', path, headers });
  const json = { 'content-type': 'application/json' };
  return [
    ask(`/${secret}`),
    ask(`/tasks/${secret}`),
    ask(`/tasks/${secret}/status`, { authorization: `Bearer ${secret}x` }),
    ask(`/metrics?token=${secret}`, { authorization: `Basic ${secret}` }),
    ask('/metrics', { dpop: secret, authorization: `DPoP ${secret}`, cookie: secret, 'x-secret': secret }),
    ask(`/tasks/${'A'.repeat(22)}`, {
      dpop: `${secret}.${secret}.${secret}`,
      authorization: `DPoP ${secret}`,
    }),
    {
      method: 'POST',
      path: '/enrolments',
      headers: { ...json, dpop: secret },
      body: JSON.stringify({ enrolmentToken: secret }),
    },
  ];
}

test('no secret and no plaintext appears in logs, refusals, metrics and the audit log, whatever happens', async () => {
  let log = '';
  let told = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  const pools = [new WatchedPool({ threads: 0 }), new WatchedPool({ threads: 0 })] as const;
  const world = await World.start({
    cspOverrides: { paillier: pools[0], log: createLogger({ service: 'csp', level: 'trace' }, destination) },
    dataUserOverrides: {
      paillier: pools[1],
      log: createLogger({ service: 'data-user', level: 'trace' }, destination),
    },
  });
  const secrets: string[] = [];
  try {
    const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca');
    const parts = split(rows, 2);
    const client = await world.taskClient();
    const { task } = await client.create(proposal);
    for (const part of parts) {
      const { owner, home } = await world.enrolledOwner();
      await owner.contribute(world.dataUserAddress, task.id, async (agreed) => summarise(agreed, part));
      const { ownerToken } = (await home.enrolment())!;
      secrets.push(ownerToken);
    }
    // Refusals are logged too: a token that was used, an owner that contributes again, an unknown task.
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const pin = Thumbprint.parse(world.dataUserConfig.cspThumbprint);
    await world.newOwner().owner.enrol(world.cspAddress, token!, pin);
    await expect(world.newOwner().owner.enrol(world.cspAddress, token!, pin)).rejects.toMatchObject({
      code: 'ERR_ENROLMENT_TOKEN',
    });
    secrets.push(token!);
    await client.closeTask(task.id);
    await expect.poll(async () => (await client.status(task.id)).state).toBe('done');

    // Secrets where they do not belong: what comes back and what is logged must not repeat them.
    for (const [address, { dataDirectory }] of [
      [world.cspAddress, world.cspConfig],
      [world.dataUserAddress, world.dataUserConfig],
    ] as const) {
      const adminToken = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
      for (const secret of [...secrets, adminToken]) {
        for (const message of misplaced(secret)) told += (await send(address, message)).text;
      }
      const headers = { authorization: `Bearer ${adminToken}` };
      told += await textOf(address, '/metrics', headers);
      told += await textOf(address, '/openapi.json', headers);
    }
    told += JSON.stringify(readAudit(world.cspConfig.dataDirectory));
    expect(told).toContain('computation answered');
    expect(told).toContain('eigenveil_http_problems_total');
    for (const { dataDirectory } of [world.cspConfig, world.dataUserConfig]) {
      secrets.push((await readFile(adminTokenFile(dataDirectory), 'utf8')).trim());
      secrets.push(JSON.parse(await readFile(join(dataDirectory, 'signing-key.json'), 'utf8')).d);
      secrets.push(
        Buffer.from((await loadOrCreateKeyRing(join(dataDirectory, 'key-encryption-key')))[0]).toString(
          'base64url',
        ),
      );
    }
    const statistics = flatten(proposal, reference(proposal, parts).statistics);
    // Small numbers, such as the number of rows, turn up in any log by chance.
    const numbers = [...pools.flatMap((pool) => pool.secrets), ...statistics].filter((n) => n > 10_000_000n);
    secrets.push(...numbers.flatMap(spellings));
  } finally {
    await world.close();
  }
  expect(secrets.length).toBeGreaterThan(50);
  expect(log).toContain('stage done');
  expect(log).toContain('ERR_ENROLMENT_TOKEN');
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
});
