/** A PostgreSQL whose settings would lose data is refused, and one is trusted over TLS that has the right certificate. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalCertificate, openPostgres } from '../src/index.ts';

const schema = 'eigenveil_test';

let postgres: Postgres;
let url: string;
let operator: pg.Client;
beforeAll(async () => {
  postgres = await Postgres.launch();
  url = await postgres.database();
  operator = new pg.Client({ connectionString: url });
  await operator.connect();
});
afterAll(async () => {
  await operator?.end();
  await postgres?.close();
});

test.each(['fsync', 'full_page_writes'])('a server is refused whose %s is off', async (setting) => {
  await operator.query(`ALTER SYSTEM SET ${setting} = off`);
  await operator.query('SELECT pg_reload_conf()');
  const value = async () => {
    const { rows } = await operator.query(`SELECT current_setting('${setting}') AS value`);
    return (rows[0] as { value: string }).value;
  };
  try {
    await expect.poll(value).toBe('off');
    await expect(openPostgres({ url, schema, migrations: [] })).rejects.toMatchObject({
      message: expect.stringContaining(`${setting} on, got off`),
    });
  } finally {
    await operator.query(`ALTER SYSTEM RESET ${setting}`);
    await operator.query('SELECT pg_reload_conf()');
    await expect.poll(value).toBe('on');
  }
});

describe('over TLS', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

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
