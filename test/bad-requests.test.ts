/**
 * Who may ask for what: owner tokens, request proofs, the operator's token and enrolment, each spoilt in
 * every way.
 *
 * @claims S-80
 */
import { readFile } from 'node:fs/promises';
import { inviteOwners } from '@eigenveil/csp';
import { adminTokenFile, openSigningKey } from '@eigenveil/server';
import type { TaskProposal } from '@eigenveil/task';
import {
  createProof,
  EnrolmentResponse,
  generatePrivateJwk,
  importSigningKey,
  issueOwnerToken,
  type SigningKey,
} from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { type Answer, credentials, ownerOf, type Sender, send, sendAs, signJws } from './support/requests.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const HOUR = 3_600_000;
let clockOffset = 0;
let world: World;
let proposal: TaskProposal;
let owner: Enrolled;
let path: string;
let cspKey: SigningKey;

beforeAll(async () => {
  world = await World.start({ cspOverrides: { now: () => new Date(Date.now() + clockOffset) } });
  proposal = (await exampleOf(dataFile('iris'), 'pca')).proposal;
  owner = await world.enrolledOwner();
  const { task } = await (await world.taskClient()).create(proposal);
  path = `/tasks/${task.id}`;
  cspKey = await openSigningKey(world.cspConfig.dataDirectory);
});
afterAll(() => world.close());

const stranger = async () => importSigningKey(await generatePrivateJwk());
const get = { method: 'GET', path: '' };
/** Asks the data user for the task, which owners alone may do. */
const askAs = (sender: Sender, headers: Record<string, string> = {}): Promise<Answer> =>
  sendAs(world.dataUserAddress, sender, { ...get, path, headers });
const ask = (headers: Record<string, string>) => send(world.dataUserAddress, { ...get, path, headers });

describe('an owner token is refused', () => {
  const tokenFor = async (key: SigningKey, lifetimeSeconds: number, ofKey?: SigningKey) => {
    const { ownerId } = (await owner.home.enrolment())!;
    const { thumbprint } = ofKey ?? (await owner.home.signingKey());
    return issueOwnerToken(key, { ownerId, thumbprint, lifetimeSeconds });
  };
  /** A token as the CSP issues it, apart from these changes. */
  const tokenWith = async (claims: object, header: object = {}) => {
    const { thumbprint } = await owner.home.signingKey();
    const now = Math.floor(Date.now() / 1000);
    const genuine = {
      cnf: { jkt: thumbprint },
      iss: cspKey.thumbprint,
      sub: (await owner.home.enrolment())!.ownerId,
      aud: 'eigenveil/1 data-user',
      iat: now,
      exp: now + 60,
    };
    const type = { alg: 'Ed25519', typ: 'eigenveil-owner+jwt' };
    return signJws({ ...type, ...header }, { ...genuine, ...claims }, cspKey);
  };
  const askWith = async (token: string) => askAs({ key: await owner.home.signingKey(), token });

  test('unless it is as the CSP issues it', async () => {
    expect((await askWith(await tokenFor(cspKey, 60))).status).toBe(200);
    expect((await askWith(await tokenWith({}))).status).toBe(200);
  });

  test.each<[string, () => Promise<string>, string?]>([
    ['has expired', () => tokenFor(cspKey, -5), 'ERR_TOKEN_EXPIRED'],
    ['another CSP has issued', async () => tokenFor(await stranger(), 60)],
    [
      'another has signed in the name of the CSP',
      async () => tokenFor({ ...cspKey, privateKey: (await stranger()).privateKey }, 60),
    ],
    [
      'names another key than the one that sends the request',
      async () => tokenFor(cspKey, 60, await stranger()),
    ],
    ['is another statement of the CSP', () => tokenWith({}, { typ: 'eigenveil-record+jws' })],
    ['says that it is not signed', () => tokenWith({}, { alg: 'none' })],
    ['says another audience', () => tokenWith({ aud: 'another' })],
    ['says another issuer', async () => tokenWith({ iss: (await owner.home.signingKey()).thumbprint })],
    ['says an owner that cannot be', () => tokenWith({ sub: 'short' })],
    ['never expires', () => tokenWith({ exp: undefined })],
    ['names no key', () => tokenWith({ cnf: undefined })],
  ])('that %s', async (_, make, code = 'ERR_AUTH_REQUIRED') => {
    expect(await askWith(await make())).toMatchObject({ status: 401, code });
  });

  test('when another key sends it, when there is none, and in another scheme', async () => {
    const { ownerToken } = (await owner.home.enrolment())!;
    expect((await askAs({ key: await stranger(), token: ownerToken })).code).toBe('ERR_AUTH_REQUIRED');
    const { authorization, dpop } = await genuine();
    for (const other of [undefined, authorization!.replace('DPoP', 'Bearer'), `${authorization} x`]) {
      const headers = { dpop: dpop!, ...(other !== undefined && { authorization: other }) };
      expect((await ask(headers)).code).toBe('ERR_AUTH_REQUIRED');
    }
  });
});

const genuine = async () => credentials(world.dataUserAddress, await ownerOf(owner.home), { ...get, path });

describe('a request proof is refused', () => {
  /** A proof that is right but for some of its claims. */
  const proofWith = async (changes: object, header: object = {}) => {
    const { key, token } = await ownerOf(owner.home);
    const genuine = await createProof(key, {
      method: 'GET',
      url: `${world.dataUserAddress.url}${path}`,
      token,
    });
    const [head, claims] = genuine
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
    const dpop = await signJws({ ...head, ...header }, { ...claims, ...changes }, key);
    return { dpop, authorization: `DPoP ${token}` };
  };

  test('unless it is right', async () => {
    expect((await ask(await proofWith({}))).status).toBe(200);
  });

  const publicJwk = async () => (await owner.home.signingKey()).publicJwk;
  test.each<[string, () => object, (() => object | Promise<object>)?]>([
    ['of another method', () => ({ htm: 'PUT' })],
    ['of another address', () => ({ htu: `${world.dataUserAddress.url}${path}/projection` })],
    ['of another service', () => ({ htu: `${world.cspAddress.url}${path}` })],
    ['with a query', () => ({ htu: `${world.dataUserAddress.url}${path}?x` })],
    ['for another token', () => ({ ath: 'A'.repeat(43) })],
    ['for no token', () => ({ ath: undefined })],
    ['older than a minute', () => ({ iat: Math.floor(Date.now() / 1000) - 70 })],
    ['from the future', () => ({ iat: Math.floor(Date.now() / 1000) + 70 })],
    ['without an id', () => ({ jti: undefined })],
    ['with an id that could clash', () => ({ jti: 'x' })],
    ['with an id that no database takes', () => ({ jti: `${'x'.repeat(16)}\0` })],
    ['with an id of half a character', () => ({ jti: `${'x'.repeat(16)}\ud800` })],
    ['of another type', () => ({}), () => ({ typ: 'JWT' })],
    ['without its key', () => ({}), () => ({ jwk: undefined })],
    ['with a private key', () => ({}), async () => ({ jwk: { ...(await publicJwk()), d: 'A'.repeat(43) } })],
    ['with a symmetric key', () => ({}), () => ({ jwk: { kty: 'oct', k: 'A'.repeat(43) } })],
    ['by a weak algorithm', () => ({}), () => ({ alg: 'HS256' })],
    ['by no algorithm', () => ({}), () => ({ alg: 'none' })],
    ['that must be understood in another way', () => ({}), () => ({ crit: ['x'] })],
  ])('%s', async (_, changes, header) => {
    expect((await ask(await proofWith(changes(), await header?.()))).code).toBe('ERR_AUTH_REQUIRED');
  });

  test('of another key, and signed by another key than the one it names', async () => {
    const { token } = await ownerOf(owner.home);
    for (const changes of [{}, { publicJwk: await publicJwk() }]) {
      const key = { ...(await stranger()), ...changes };
      expect((await askAs({ key, token })).code).toBe('ERR_AUTH_REQUIRED');
    }
  });

  test('that was used, even when both requests come at once', async () => {
    const headers = await genuine();
    const answers = await Promise.all([ask(headers), ask(headers), ask(headers)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await ask(headers)).code).toBe('ERR_PROOF_REPLAYED');
  });

  test('that was used with a longer path or a query for the same route', async () => {
    const headers = await genuine();
    const variant = await send(world.dataUserAddress, { ...get, path: `${path}?again`, headers });
    expect(variant.code).toBe('ERR_AUTH_REQUIRED');
    expect((await ask(headers)).status).toBe(200);
  });
});

describe("the operator's routes are refused to everybody else", () => {
  test.each([
    ['GET', 'owners'],
    ['GET', 'status'],
    ['GET', 'result'],
    ['POST', 'close'],
    ['POST', 'cancel'],
  ])('%s %s', async (method, what) => {
    const message = { method, path: `${path}/${what}` };
    const asOwner = await sendAs(world.dataUserAddress, await ownerOf(owner.home), message);
    expect(asOwner.code).toBe('ERR_AUTH_REQUIRED');
    const adminToken = await readFile(adminTokenFile(world.dataUserConfig.dataDirectory), 'utf8');
    for (const token of ['', 'x'.repeat(43), adminToken.trim().slice(1), `${adminToken.trim()}x`]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await send(world.dataUserAddress, { ...message, headers })).code).toBe('ERR_AUTH_REQUIRED');
    }
  });

  test('and metrics, too, at both services', async () => {
    for (const address of [world.cspAddress, world.dataUserAddress]) {
      expect((await send(address, { method: 'GET', path: '/metrics' })).code).toBe('ERR_AUTH_REQUIRED');
    }
  });

  test('an owner that has not contributed gets no projection, whatever the state of the task', async () => {
    const answer = await sendAs(world.dataUserAddress, await ownerOf(owner.home), {
      ...get,
      path: `${path}/projection`,
    });
    expect(answer.code).toBe('ERR_AUTH_FORBIDDEN');
  });
});

describe('enrolment', () => {
  const enrol = (key: SigningKey, enrolmentToken: string) =>
    sendAs(world.cspAddress, { key }, { method: 'POST', path: '/enrolments', json: { enrolmentToken } });
  const invite = async () => (await inviteOwners(world.cspConfig.dataDirectory, 1, 3600))[0]!;
  const owners = () => query(world.cspConfig.dataDirectory, 'SELECT owner_id FROM owners').length;

  test('with an unknown token is refused', async () => {
    const before = owners();
    expect((await enrol(await stranger(), 'x'.repeat(43))).code).toBe('ERR_ENROLMENT_TOKEN');
    expect((await enrol(await stranger(), '')).code).toBe('ERR_BODY_INVALID');
    expect(owners()).toBe(before);
  });

  test('with an expired token is refused', async () => {
    const token = await invite();
    clockOffset = 2 * HOUR;
    try {
      expect((await enrol(await stranger(), token)).code).toBe('ERR_ENROLMENT_TOKEN');
    } finally {
      clockOffset = 0;
    }
  });

  test('with a token that another key has used is refused, also at the same time', async () => {
    const token = await invite();
    const keys = await Promise.all([stranger(), stranger(), stranger()]);
    const before = owners();
    const answers = await Promise.all(keys.map((key) => enrol(key, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    expect(owners()).toBe(before + 1);
    const loser = answers.findIndex(({ status }) => status === 403);
    expect((await enrol(keys[loser]!, token)).code).toBe('ERR_ENROLMENT_TOKEN');
  });

  test('with the same token and key again, or with a second token, gives the same owner id', async () => {
    const key = await stranger();
    const token = await invite();
    const answers = [await enrol(key, token), await enrol(key, token), await enrol(key, await invite())];
    const ids = answers.map(({ json }) => EnrolmentResponse.parse(json).ownerId);
    expect(new Set(ids).size).toBe(1);
  });

  test('uses its proof up, but only with a valid token, so that strangers cannot fill the memory of proofs', async () => {
    const key = await stranger();
    const message = { method: 'POST', path: '/enrolments' };
    const headers = await credentials(world.cspAddress, { key }, message);
    const again = (enrolmentToken: string) =>
      sendAs(world.cspAddress, { key }, { ...message, headers, json: { enrolmentToken } });
    expect((await again('x'.repeat(43))).code).toBe('ERR_ENROLMENT_TOKEN');
    expect((await again('x'.repeat(43))).code).toBe('ERR_ENROLMENT_TOKEN');
    const token = await invite();
    expect((await again(token)).status).toBe(200);
    const before = owners();
    expect((await again(token)).code).toBe('ERR_PROOF_REPLAYED');
    expect((await enrol(key, token)).status).toBe(200);
    expect(owners()).toBe(before);
  });

  test('without proof of the key is refused, and the token stays good', async () => {
    const token = await invite();
    const message = {
      method: 'POST',
      path: '/enrolments',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enrolmentToken: token }),
    };
    expect((await send(world.cspAddress, message)).code).toBe('ERR_AUTH_REQUIRED');
    expect((await enrol(await stranger(), token)).status).toBe(200);
  });
});
