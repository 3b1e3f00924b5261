/**
 * What opens the operator's routes beside the token, for how long, and what does not.
 *
 * @claims S-501, S-502, S-558, S-559
 */
import { hkdfSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminToken, createLogger, hashOneTimeToken, newOneTimeToken } from '@eigenveil/server';
import { Thumbprint } from '@eigenveil/wire';
import { ConsoleSession } from '@eigenveil/wire/console';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConsoleSessions } from '../../src/console/sessions.ts';
import { openSqliteStore } from '../../src/store/open.ts';
import type { SqlDataUserStore } from '../../src/store/sql-store.ts';
import { Operators } from '../../src/tasks/operators.ts';

const TOKEN = 'a-token-of-the-operator-0123456789abcdef';
const DATA_USER = Thumbprint.parse('A'.repeat(43));
const OTHER = Thumbprint.parse('B'.repeat(43));
const START = Date.parse('2026-01-01T08:00:00.500Z');
const MINUTE = 60_000;

function sessionsAt(
  options: { token?: AdminToken; dataUser?: Thumbprint; store?: SqlDataUserStore; secret?: number } = {},
) {
  let now = START;
  const store = options.store ?? openSqliteStore(':memory:');
  const admin = options.token ?? new AdminToken(TOKEN);
  const operators = new Operators({ store: store.operators, admin, now: () => new Date(now) });
  const sessions = new ConsoleSessions({
    operators,
    secret: new Uint8Array(32).fill(options.secret ?? 1),
    dataUser: options.dataUser ?? DATA_USER,
    now: () => new Date(now),
  });
  return { sessions, store, pass: (milliseconds: number) => (now += milliseconds) };
}

function requestWith(bearer: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = `Bearer ${bearer}`;
  return request;
}

const REFUSED = { code: 'ERR_AUTH_REQUIRED' };
const EXPIRED = { code: 'ERR_TOKEN_EXPIRED' };

test('the token is exchanged for a bearer of 15 minutes, which every process with the token knows', async () => {
  const { sessions } = sessionsAt();
  const session = ConsoleSession.parse(await sessions.exchange(TOKEN));
  expect(session).toMatchObject({
    at: '2026-01-01T08:00:00.500Z',
    expiresAt: '2026-01-01T08:15:00.000Z',
    endsAt: '2026-01-01T16:00:00.000Z',
  });
  const { sessions: another } = sessionsAt();
  expect(await another.operator().authenticate(requestWith(session.bearer))).toEqual({
    name: 'admin',
    by: 'session',
  });
  expect(await another.operator().authenticate(requestWith(TOKEN))).toEqual({ name: 'admin', by: 'token' });
  expect(await another.bearer().authenticate(requestWith(session.bearer))).toEqual({
    operator: 'admin',
    expiresAt: new Date(session.expiresAt),
    endsAt: new Date(session.endsAt),
  });
});

test.each(['a\0b', 'Alice', ' ', 'x'.repeat(33)])(
  'a bearer of somebody who cannot be called so (%j) is refused, and no database is asked: one may not know the character',
  async (name) => {
    const { sessions, store } = sessionsAt();
    const named = vi.spyOn(store.operators, 'named');
    const forged = new UnsecuredJWT({}).setSubject(name).encode();
    await expect(sessions.operator().authenticate(requestWith(forged))).rejects.toMatchObject(REFUSED);
    await expect(sessions.verify(forged)).rejects.toMatchObject(REFUSED);
    expect(named).not.toHaveBeenCalled();
  },
);

test('a bearer says nothing but its times and whose it is', async () => {
  const { bearer } = await sessionsAt().sessions.exchange(TOKEN);
  const seconds = Math.floor(START / 1000);
  expect(decodeProtectedHeader(bearer)).toEqual({ alg: 'HS256', typ: 'eigenveil-console+jwt' });
  expect(decodeJwt(bearer)).toEqual({
    aud: DATA_USER,
    sub: 'admin',
    iat: seconds,
    exp: seconds + 900,
    ends: seconds + 8 * 3600,
  });
});

test.each(['', TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase(), `${TOKEN} `])(
  'what is not the token is exchanged for nothing: %j',
  async (presented) => {
    await expect(sessionsAt().sessions.exchange(presented)).rejects.toMatchObject(REFUSED);
  },
);

test('a bearer is no token: it is not exchanged, and the token is not renewed', async () => {
  const { sessions } = sessionsAt();
  const { bearer } = await sessions.exchange(TOKEN);
  await expect(sessions.exchange(bearer)).rejects.toMatchObject(REFUSED);
  await expect(sessions.bearer().authenticate(requestWith(TOKEN))).rejects.toMatchObject(REFUSED);
});

test('a session is renewed until eight hours after the exchange, and not for a second longer', async () => {
  const { sessions, pass } = sessionsAt();
  let session = await sessions.exchange(TOKEN);
  const { endsAt } = session;
  let renewals = 0;
  for (; session.expiresAt < endsAt; renewals += 1) {
    pass(14 * MINUTE);
    session = await sessions.renew(await sessions.verify(session.bearer));
    expect(session.endsAt).toBe(endsAt);
  }
  expect(renewals).toBe(34);
  expect(session.expiresAt).toBe(endsAt);
  pass(Date.parse(endsAt) - Date.parse(session.at) - 1);
  session = await sessions.renew(await sessions.verify(session.bearer));
  expect(session.expiresAt).toBe(endsAt);
  pass(1);
  await expect(sessions.verify(session.bearer)).rejects.toMatchObject(EXPIRED);
});

test('a bearer that is over is told from one that never was good', async () => {
  const { sessions, pass } = sessionsAt();
  const { bearer } = await sessions.exchange(TOKEN);
  pass(15 * MINUTE);
  await expect(sessions.operator().authenticate(requestWith(bearer))).rejects.toMatchObject(EXPIRED);
  const [header, claims] = bearer.split('.');
  const forged = `${header}.${claims}.${'A'.repeat(43)}`;
  await expect(sessions.operator().authenticate(requestWith(forged))).rejects.toMatchObject(REFUSED);
});

test('a bearer of another data user with the same token, or of the same with another token, opens nothing', async () => {
  const { bearer } = await sessionsAt().sessions.exchange(TOKEN);
  const elsewhere = sessionsAt({ dataUser: OTHER }).sessions;
  await expect(elsewhere.verify(bearer)).rejects.toMatchObject(REFUSED);
  const replaced = sessionsAt({ token: new AdminToken(`${TOKEN}-2`) }).sessions;
  await expect(replaced.verify(bearer)).rejects.toMatchObject(REFUSED);
});

test('whoever has no key makes no bearer', async () => {
  const { sessions } = sessionsAt();
  const { bearer } = await sessions.exchange(TOKEN);
  const claims = decodeJwt(bearer);
  const signed = (key: string, header = { alg: 'HS256', typ: 'eigenveil-console+jwt' }) =>
    new SignJWT(claims).setProtectedHeader(header).sign(Buffer.from(key));
  const forgeries = [
    new UnsecuredJWT(claims).encode(),
    await signed(TOKEN),
    await signed(DATA_USER),
    await signed('\0'.repeat(32)),
    `${bearer}A`,
    bearer.slice(0, -4),
    `${bearer}.${bearer}`,
    'a.b.c',
  ];
  for (const forgery of forgeries) await expect(sessions.verify(forgery)).rejects.toMatchObject(REFUSED);
});

test('what the right key has signed is no bearer unless it is one in every part', async () => {
  const { sessions } = sessionsAt();
  const key = Buffer.from(hkdfSync('sha256', TOKEN, '', `eigenveil/1 console session ${DATA_USER}`, 32));
  const header = { alg: 'HS256', typ: 'eigenveil-console+jwt' };
  const claims = decodeJwt((await sessions.exchange(TOKEN)).bearer);
  const signed = (claimed: object, head: { alg: string; typ?: string } = header) =>
    new SignJWT({ ...claimed }).setProtectedHeader(head).sign(key);
  await sessions.verify(await signed(claims));
  const spoilt: [object, { alg: string; typ?: string }?][] = [
    [claims, { ...header, typ: 'eigenveil-owner+jwt' }],
    [claims, { alg: 'HS256' }],
    [claims, { ...header, alg: 'HS512' }],
    [{ ...claims, aud: OTHER }],
    [{ ...claims, aud: [DATA_USER, OTHER] }],
    [{ ...claims, aud: undefined }],
    [{ ...claims, exp: undefined }],
    [{ ...claims, iat: undefined }],
    [{ ...claims, ends: undefined }],
    [{ ...claims, ends: 'never' }],
    [{ ...claims, sub: 'other' }],
    [{ ...claims, sub: undefined }],
  ];
  for (const [claimed, head] of spoilt)
    await expect(sessions.verify(await signed(claimed, head))).rejects.toMatchObject(REFUSED);
});

test('a bearer with one character changed is none', async () => {
  const { sessions } = sessionsAt();
  const { bearer } = await sessions.exchange(TOKEN);
  // The last character says four bits of the MAC and two of nothing.
  for (let i = 0; i < bearer.length - 1; i += 1) {
    const changed = `${bearer.slice(0, i)}${bearer[i] === 'B' ? 'C' : 'B'}${bearer.slice(i + 1)}`;
    await expect(sessions.verify(changed)).rejects.toMatchObject(REFUSED);
  }
});

test('a token that is replaced is void at its next reading, and its bearers with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-console-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'admin-token');
  const token = await AdminToken.open(path);
  const log = createLogger({ service: 'test', level: 'silent' });
  const { sessions } = sessionsAt({ token });
  const before = token.current!;
  const { bearer } = await sessions.exchange(before);
  await token.reread(log);
  await sessions.verify(bearer);
  await writeFile(path, `${TOKEN}\n`);
  await token.reread(log);
  await expect(sessions.verify(bearer)).rejects.toMatchObject(REFUSED);
  await expect(sessions.exchange(before)).rejects.toMatchObject(REFUSED);
  const renewed = await sessions.exchange(TOKEN);
  // What is no token admits nobody, the empty one neither; then the right one is back.
  await writeFile(path, '');
  await token.reread(log);
  await expect(sessions.verify(renewed.bearer)).rejects.toMatchObject(REFUSED);
  await expect(sessions.exchange('')).rejects.toMatchObject(REFUSED);
  await expect(sessions.exchange(TOKEN)).rejects.toMatchObject(REFUSED);
  await writeFile(path, TOKEN);
  await token.reread(log);
  await sessions.verify(renewed.bearer);
});

const HOUR = 60 * MINUTE;

async function withAlice(lifetime: number) {
  const made = sessionsAt();
  const add = (token: string, at: number) =>
    made.store.operators.add(
      { name: 'alice', tokenHash: hashOneTimeToken(token), expiresAt: new Date(at + lifetime).toISOString() },
      new Date(at),
    );
  const token = newOneTimeToken();
  expect(await add(token, START)).toBe(true);
  return { ...made, token, add };
}

test('a named operator has sessions of its own, which another process knows and end with the token', async () => {
  const { sessions, store, token, pass } = await withAlice(HOUR);
  const { bearer, endsAt } = await sessions.exchange(token);
  expect(endsAt).toBe(new Date(START + HOUR - 500).toISOString());
  const another = sessionsAt({ store }).sessions.operator();
  expect(await another.authenticate(requestWith(bearer))).toEqual({ name: 'alice', by: 'session' });
  expect(await another.authenticate(requestWith(token))).toEqual({ name: 'alice', by: 'token' });
  // Who reads the database, or has the token of admin, makes no bearer of hers.
  const stranger = sessionsAt({ store, secret: 2 }).sessions;
  await expect(stranger.verify(bearer)).rejects.toMatchObject(REFUSED);
  pass(HOUR);
  await expect(sessions.exchange(token)).rejects.toMatchObject(EXPIRED);
  await expect(sessions.verify(bearer)).rejects.toMatchObject(EXPIRED);
});

test('who is revoked has no session from then on, and none comes back with a new token', async () => {
  const { sessions, store, token, add } = await withAlice(HOUR);
  const { bearer } = await sessions.exchange(token);
  const session = await sessions.verify(bearer);
  await store.operators.revoke('alice', new Date(START));
  for (const attempt of [
    () => sessions.verify(bearer),
    () => sessions.renew(session),
    () => sessions.exchange(token),
  ])
    await expect(attempt()).rejects.toMatchObject(REFUSED);
  const renewed = newOneTimeToken();
  expect(await add(renewed, START)).toBe(true);
  expect(await add(newOneTimeToken(), START)).toBe(false); // she is an operator
  await sessions.exchange(renewed);
  for (const attempt of [() => sessions.verify(bearer), () => sessions.exchange(token)])
    await expect(attempt()).rejects.toMatchObject(REFUSED);
});
