/** Where a PostgreSQL is and how it is talked to: URLs good and bad, and TLS with a real server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalCertificate, openPostgres, parsePostgresUrl } from '../src/index.ts';

const schema = 'eigenveil_test';

let postgres: Postgres;
let url: string;
beforeAll(async () => {
  postgres = await Postgres.launch();
  url = await postgres.database();
});
afterAll(() => postgres.close());

describe('a URL', () => {
  test('is read as libpq does', () => {
    expect(parsePostgresUrl('postgres://u%40x:p%2Fw@127.0.0.1/name')).toEqual({
      host: '127.0.0.1',
      port: 5432,
      database: 'name',
      user: 'u@x',
      password: 'p/w',
      ssl: false,
    });
    expect(parsePostgresUrl('postgresql://u@[::1]:5433/d?sslmode=disable')).toMatchObject({
      host: '::1',
      port: 5433,
      password: undefined,
      ssl: false,
    });
  });

  test('of another host means TLS with a checked certificate, unless it says otherwise', () => {
    expect(parsePostgresUrl('postgres://u@db.example.org/d').ssl).toEqual({ minVersion: 'TLSv1.2' });
    expect(parsePostgresUrl('postgres://u@localhost/d?sslmode=verify-full').ssl).toBeTruthy();
    expect(parsePostgresUrl('postgres://u@db.example.org/d?sslmode=disable').ssl).toBe(false);
    expect(
      parsePostgresUrl(
        `postgres://u@db.example.org/d?sslrootcert=${encodeURIComponent(import.meta.filename)}`,
      ).ssl,
    ).toMatchObject({ ca: expect.stringContaining('A real PostgreSQL') });
  });

  const SECRET = 'sEcReT';
  test.each([
    `postgres://u:${SECRET}/x@127.0.0.1/d`,
    `postgres://u:x@${SECRET}@127.0.0.1/d@e`,
    `postgres://u:${SECRET}@127.0.0.1`,
    `postgres://u:${SECRET}@127.0.0.1/d/e`,
    `postgres://u:${SECRET}@127.0.0.1/d#x`,
    `postgres://u:${SECRET}@127.0.0.1/d?sslmode=require`,
    `postgres://u:${SECRET}@127.0.0.1/d?sslmode=verify-full&sslmode=disable`,
    `postgres://u:${SECRET}@127.0.0.1/d?host=/tmp`,
    `postgres://u:${SECRET}@127.0.0.1/d?sslrootcert=/nowhere/${SECRET}`,
    `postgres://u:%zz${SECRET}@127.0.0.1/d`,
    `postgres://:${SECRET}@127.0.0.1/d`,
    `http://u:${SECRET}@127.0.0.1/d`,
    SECRET,
    `postgres://u:x#${SECRET}@127.0.0.1/d`,
    `postgres://u:x@${SECRET}.invalid/d`,
    `postgres://${SECRET}:${SECRET}@127.0.0.1:1/${SECRET}`,
  ])('that is wrong is refused without a word of it: %s', async (wrong) => {
    const error = await openPostgres({ url: wrong, schema, migrations: [] }).catch((it: unknown) => it);
    expect(error).toMatchObject({ code: 'ERR_DATABASE' });
    const { message, stack, cause } = error as Error;
    expect(`${message} ${stack} ${String(cause)}`.toLowerCase()).not.toContain(SECRET.toLowerCase());
  });

  test.each([
    ['password', { password: SECRET }],
    ['username', { username: SECRET }],
    ['pathname', { pathname: `/${SECRET}` }],
  ])('with the wrong %s is refused without a word of it', async (_, changes) => {
    const wrong = Object.assign(new URL(url), changes).href;
    const error = await openPostgres({ url: wrong, schema, migrations: [] }).catch((it: unknown) => it);
    expect(error).toMatchObject({ code: 'ERR_DATABASE' });
    const { message, stack, cause } = error as Error;
    expect(`${message} ${stack} ${String(cause)}`).not.toContain(SECRET);
  });
});

describe('over TLS', () => {
  let folder: string;
  let operator: pg.Client;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
    operator = new pg.Client({ connectionString: url });
    await operator.connect();
  });
  afterAll(async () => {
    await operator.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Lets the server have a certificate for a host, and returns a URL that trusts it. */
  const certified = async (host: string) => {
    const { cert, key } = await createLocalCertificate({ hosts: [host] });
    for (const [name, pem] of Object.entries({ cert, key })) {
      // The server writes its own files, as its own user.
      const lines = pem
        .trim()
        .split(/\r?\n/)
        .map((line) => `('${line}')`);
      const program = `umask 077 && cat > ${name}.pem`;
      await operator.query(`COPY (VALUES ${lines.join(', ')}) TO PROGRAM '${program}'`);
    }
    for (const setting of [`ssl_cert_file = 'cert.pem'`, `ssl_key_file = 'key.pem'`, 'ssl = on'])
      await operator.query(`ALTER SYSTEM SET ${setting}`);
    await operator.query('SELECT pg_reload_conf()');
    const file = join(folder, `${host}.pem`);
    await writeFile(file, cert);
    return `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`;
  };
  const open = async (address: string) => {
    const database = await openPostgres({ url: address, schema, migrations: [] });
    try {
      const text = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      return (await database.query<{ ssl: boolean; version: string | null }>({ text })).rows;
    } finally {
      await database.close();
    }
  };

  test('a server with a certificate for its address is trusted, and no other', async () => {
    const good = await certified('127.0.0.1');
    await expect.poll(() => open(good).catch(() => [])).toEqual([{ ssl: true, version: 'TLSv1.3' }]);
    expect(await open(url)).toEqual([{ ssl: false, version: null }]);
    await expect(open(`${url}?sslmode=verify-full`)).rejects.toMatchObject({
      code: 'ERR_DATABASE',
      message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    });
    const other = await certified('localhost');
    const refusal = () => open(other).then(String, (error: Error) => error.message);
    await expect.poll(refusal).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('a server without TLS is refused', async () => {
    await operator.query('ALTER SYSTEM SET ssl = off');
    await operator.query('SELECT pg_reload_conf()');
    const refusal = () => open(`${url}?sslmode=verify-full`).then(String, (error: Error) => error.message);
    await expect.poll(refusal).toContain('does not support SSL');
  });
});
