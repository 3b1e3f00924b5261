/**
 * The rotation of key-encryption keys: in the midst of tasks, killed at every step, and of services that
 * cannot stop together.
 *
 * @claims S-84
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateKeyRing, Sealer } from '@eigenveil/server';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { runUntilKilled } from '@eigenveil/testbed/processes/killed';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { isStillInFiles, query } from './support/database.ts';
import { runInProcess } from './support/in-process.ts';
import { keptDirectory } from './support/kept-databases.ts';
import { straceProblem } from './support/system-calls.ts';
import { World } from './support/world.ts';

const cannotTrace = straceProblem();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-rotation-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const keyFile = (directory: string) => join(directory, 'key-encryption-key');
const linesOf = async (directory: string) => (await readFile(keyFile(directory), 'utf8')).trim().split('\n');
const key = (name: 'csp' | 'user', command: string, directory: string) =>
  runInProcess(name, '--json', 'key', command, '--data-directory', directory);
const json = (finished: { exitCode: number | null; stdout: string; stderr: string }) => {
  expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(finished.stdout) as Record<string, unknown>;
};

const SEALED: Record<'csp' | 'user', [column: string, place: string][]> = {
  csp: [
    ['sealed_secret_key', 'csp/tasks/*/secret_key'],
    ['sealed_shares', 'csp/tasks/*/shares'],
  ],
  user: [['sealed_blinding', 'data-user/tasks/*/blinding']],
};

/** Every sealed value of a data directory, by its place. */
function sealedValues(name: 'csp' | 'user', directory: string): Map<string, Uint8Array> {
  const values = SEALED[name].flatMap(([column, place]) =>
    query(directory, `SELECT task_id, ${column} AS sealed FROM tasks WHERE ${column} IS NOT NULL`).map(
      (row) => [place.replace('*', String(row.task_id)), row.sealed as Uint8Array] as const,
    ),
  );
  return new Map(values);
}

/** What is sealed in a data directory, opened with the keys of its key file. */
async function secretsOf(name: 'csp' | 'user', directory: string): Promise<Record<string, string>> {
  const sealer = new Sealer(...(await loadOrCreateKeyRing(keyFile(directory))));
  const opened = [...sealedValues(name, directory)].map(([place, sealed]) => [
    place,
    Buffer.from(sealer.open(place, sealed)).toString(),
  ]);
  return Object.fromEntries(opened) as Record<string, string>;
}

describe.each(['csp', 'user'] as const)('key rotate of eigenveil-%s', (name) => {
  const service = name === 'csp' ? 'csp' : 'data-user';

  test('seals everything under a new key and forgets the old one', async () => {
    const directory = await keptDirectory(service, join(folder, `${name}-rotate`));
    const [before, [oldLine], old] = [
      await secretsOf(name, directory),
      await linesOf(directory),
      sealedValues(name, directory),
    ];
    expect(old.size).toBeGreaterThan(1);
    expect(json(await key(name, 'list', directory))).toEqual({
      keys: [{ id: expect.stringMatching(/^[0-9a-f]{8}$/), use: 'seals', values: old.size }],
    });
    const rotated = json(await key(name, 'rotate', directory));
    expect(rotated).toEqual({ keyId: expect.any(String), resealed: old.size });
    expect(await secretsOf(name, directory)).toEqual(before);
    const lines = await linesOf(directory);
    expect(lines).toHaveLength(1);
    expect(lines).not.toContain(oldLine);
    for (const [place, sealed] of old) expect(isStillInFiles(directory, sealed), place).toBe(false);
    expect(json(await key(name, 'list', directory))).toEqual({
      keys: [{ id: rotated.keyId, use: 'seals', values: old.size }],
    });
    const again = json(await key(name, 'rotate', directory));
    expect(again).toMatchObject({ resealed: old.size });
    expect(again.keyId).not.toBe(rotated.keyId);
    expect(await secretsOf(name, directory)).toEqual(before);
  });

  test('changes nothing when the key file lacks a key, is missing, or there is no service', async () => {
    const directory = await keptDirectory(service, join(folder, `${name}-refused`));
    const [right, before] = [await readFile(keyFile(directory), 'utf8'), sealedValues(name, directory)];
    const wrong = `${randomBytes(32).toString('base64url')}\n`;
    await writeFile(keyFile(directory), wrong);
    for (const command of ['rotate', 'reseal']) {
      const refused = await key(name, command, directory);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toMatch(
        /ERR_SEAL_BROKEN.* was sealed under key [0-9a-f]{8}, which the key file/,
      );
    }
    const id = new Sealer(Buffer.from(right.trim(), 'base64url')).keyIds[0];
    expect(json(await key(name, 'list', directory)).keys).toContainEqual({
      id,
      use: 'missing',
      values: before.size,
    });
    expect(await readFile(keyFile(directory), 'utf8')).toBe(wrong);
    await rm(keyFile(directory));
    for (const command of ['list', 'rotate', 'reseal'])
      expect((await key(name, command, directory)).stderr).toContain('ERR_KEY_FILE');
    expect(existsSync(keyFile(directory))).toBe(false);
    expect(sealedValues(name, directory)).toEqual(before);
    const nowhere = join(folder, 'nowhere');
    for (const command of ['list', 'rotate', 'reseal'])
      expect((await key(name, command, nowhere)).stderr).toContain(
        command === 'list' ? 'ERR_' : 'ERR_DATABASE',
      );
    expect(existsSync(nowhere)).toBe(false);
  });
});

/** The steps of the command end in these calls of the operating system; each is where it can be killed. */
const KILLED_AT: [name: 'csp' | 'user', call: 'fsync' | 'rename' | 'unlink', nth: number][] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((nth) => ['csp', 'fsync', nth] as (typeof KILLED_AT)[number]),
  ['csp', 'rename', 1],
  ['csp', 'rename', 2],
  ['user', 'rename', 1],
  ['user', 'rename', 2],
  ['csp', 'unlink', 1],
  ['user', 'fsync', 4],
];

// Where it is interrupted between any two changes, shared/server/test/secrets/rotation.test.ts shows.
describe.skipIf(cannotTrace !== undefined)('a rotation that is killed', { tags: ['long'] }, () => {
  for (const [name, call, nth] of KILLED_AT) {
    test.concurrent(`in eigenveil-${name} at ${call} number ${nth}`, async () => {
      const service = name === 'csp' ? 'csp' : 'data-user';
      const directory = await keptDirectory(service, join(folder, `${name}-${call}-${nth}`));
      const before = await secretsOf(name, directory);
      const command = ['key', 'rotate', '--data-directory', directory];
      expect(await runUntilKilled(name, command, call, nth)).toBe(true);
      // The service could start and go on: the file has every key that is needed, and what begins a rotation again ends it.
      expect(await secretsOf(name, directory)).toEqual(before);
      const ringed = await linesOf(directory);
      expect([1, 2]).toContain(ringed.length);
      const { keyId } = json(await key(name, 'rotate', directory));
      const lines = await linesOf(directory);
      expect(lines).toHaveLength(1);
      if (ringed.length === 2) expect(lines[0]).toBe(ringed[0]); // no third key
      expect(await secretsOf(name, directory)).toEqual(before);
      expect(json(await key(name, 'list', directory)).keys).toEqual([
        { id: keyId, use: 'seals', values: Object.keys(before).length },
      ]);
      expect((await readdir(directory)).filter((file) => file.includes('key-encryption-key'))).toEqual([
        'key-encryption-key',
      ]);
    });
  }
});

describe('services in the midst of a task', () => {
  let world: World;
  let byHand: ByHand;
  let signed: SignedTask;
  const directories = () => [world.cspConfig.dataDirectory, world.dataUserConfig.dataDirectory] as const;

  beforeAll(async () => {
    world = await World.start({ proxied: true, dataUser: { cspPatienceSeconds: 0 } });
    byHand = await ByHand.start(world);
  });
  afterAll(() => world.close());
  const restart = async () => {
    await world.stopDataUser();
    await world.stopCsp();
    await world.startCsp();
    await world.startDataUser();
  };
  const edit = async (change: (lines: string[]) => string[]) => {
    for (const directory of directories())
      await writeFile(keyFile(directory), `${change(await linesOf(directory)).join('\n')}\n`);
  };

  test('are stopped between unblinding and decomposition', async () => {
    signed = await byHand.create();
    for (const [part, owner] of (await byHand.owners(3)).entries())
      await byHand.contribute(owner, signed, part);
    world.proxies.csp.inject(/two-party$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
    await (await world.taskClient()).closeTask(signed.task.id);
    await byHand.expectState(signed, 'unblinded');
  });

  test('keep their key as long as they run', async () => {
    const [csp, user] = directories();
    const lines = await linesOf(csp);
    for (const refused of [await key('csp', 'rotate', csp), await key('user', 'rotate', user)]) {
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain('ERR_DATA_DIRECTORY_IN_USE');
    }
    expect(await linesOf(csp)).toEqual(lines);
  });

  test('do not start without a key that a stored value needs, and say which', async () => {
    await world.stopDataUser();
    await world.stopCsp();
    const kept = await Promise.all(directories().map((directory) => readFile(keyFile(directory), 'utf8')));
    await edit(() => [randomBytes(32).toString('base64url')]);
    for (const [i, start] of [() => world.startCsp(), () => world.startDataUser()].entries()) {
      const id = new Sealer(Buffer.from(kept[i]!.trim(), 'base64url')).keyIds[0];
      await expect(start()).rejects.toMatchObject({
        code: 'ERR_SEAL_BROKEN',
        message: expect.stringContaining(`was sealed under key ${id}, which the key file does not hold`),
      });
    }
    for (const [i, directory] of directories().entries()) await writeFile(keyFile(directory), kept[i]!);
    await world.startCsp();
    await world.startDataUser();
  });

  // As the manual says: appended, moved to the front, sealed anew, taken out, with a restart of every service between.
  test('get another key without ever stopping together', async () => {
    await edit((lines) => [...lines, randomBytes(32).toString('base64url')]);
    await restart();
    await edit(([first, second]) => [second!, first!]);
    await restart();
    const [csp, user] = directories();
    for (const [name, directory] of [['csp', csp] as const, ['user', user] as const]) {
      const size = sealedValues(name, directory).size;
      expect(json(await key(name, 'reseal', directory))).toEqual({ resealed: size });
      expect(json(await key(name, 'list', directory)).keys).toMatchObject([
        { use: 'seals', values: size },
        { use: 'opens', values: 0 },
      ]);
      expect(json(await key(name, 'reseal', directory))).toEqual({ resealed: 0 });
    }
    await edit(([first]) => [first!]);
    await restart();
  });

  test('end the task after one more rotation, with the right result', async () => {
    await world.stopDataUser();
    await world.stopCsp();
    const [csp, user] = directories();
    await cp(csp, join(folder, 'before'), { recursive: true });
    expect(json(await key('csp', 'rotate', csp))).toMatchObject({ resealed: 1 });
    expect(json(await key('user', 'rotate', user))).toMatchObject({ resealed: 1 });
    // Under the old key alone nothing opens any more.
    await expect(async () => {
      const sealer = new Sealer(...(await loadOrCreateKeyRing(keyFile(join(folder, 'before')))));
      for (const [place, sealed] of sealedValues('csp', csp)) sealer.open(place, sealed);
    }).rejects.toMatchObject({ code: 'ERR_SEAL_BROKEN' });
    world.proxies.csp.heal();
    await world.startCsp();
    await world.startDataUser();
    await byHand.expectResult(signed, [0, 1, 2]);
  });
});

describe('data users that share a database', { tags: ['long'] }, () => {
  let world: World;
  beforeAll(async () => {
    const databaseUrl = await databaseOfRun();
    world = await World.start({ proxied: true, dataUser: { cspPatienceSeconds: 0, databaseUrl } });
  });
  afterAll(() => world.close());

  test('get another key step by step, and go on with their task', async () => {
    const byHand = await ByHand.start(world);
    const signed = await byHand.create();
    for (const [part, owner] of (await byHand.owners(3)).entries())
      await byHand.contribute(owner, signed, part);
    world.proxies.csp.inject(/two-party$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
    await (await world.taskClient()).closeTask(signed.task.id);
    await byHand.expectState(signed, 'unblinded');

    const { dataDirectory, databaseUrl } = world.dataUserConfig;
    const shared = (command: string) =>
      runInProcess(
        'user',
        ...['--json', 'key', command, '--data-directory', dataDirectory, '--database-url', databaseUrl!],
      );
    const refused = await shared('rotate');
    expect(refused.exitCode).toBe(2);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'ERR_CONFIGURATION' });
    const edit = async (change: (lines: string[]) => string[]) => {
      await writeFile(keyFile(dataDirectory), `${change(await linesOf(dataDirectory)).join('\n')}\n`);
      await world.stopDataUser();
      await world.startDataUser();
    };
    await edit((lines) => [...lines, randomBytes(32).toString('base64url')]);
    await edit(([first, second]) => [second!, first!]);
    expect(json(await shared('list')).keys).toMatchObject([
      { use: 'seals', values: 0 },
      { use: 'opens', values: 1 },
    ]);
    expect(json(await shared('reseal'))).toEqual({ resealed: 1 });
    expect(json(await shared('list')).keys).toMatchObject([
      { use: 'seals', values: 1 },
      { use: 'opens', values: 0 },
    ]);
    await edit(([first]) => [first!]);
    world.proxies.csp.heal();
    await byHand.expectResult(signed, [0, 1, 2]);
  });
});
