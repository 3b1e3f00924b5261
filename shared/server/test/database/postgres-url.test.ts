/** URLs of a PostgreSQL, good and bad. */
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPostgres, parsePostgresUrl } from '../../src/index.ts';

const schema = 'eigenveil_test';

let url: string;
beforeAll(async () => {
  url = await databaseOfRun();
});

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
    ).toMatchObject({ ca: expect.stringContaining('URLs of a PostgreSQL') });
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
