/** Every route of all services' tables, tried with credentials that must open nothing. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DEVICE_ROUTES, RELYING_ROUTES } from '@eigenveil/authenticator/table';
import { adminTokenFile, openSigningKey } from '@eigenveil/server';
import { newTaskId } from '@eigenveil/task';
import {
  generatePrivateJwk,
  importSigningKey,
  ProblemSchema,
  type SignedTask,
  type SigningKey,
} from '@eigenveil/wire';
import { PARAMETER, type RouteTable } from '@eigenveil/wire/routes';
import { COMMON_ROUTES, IDENTITY_ROUTES } from '@eigenveil/wire/routes/common';
import { CSP_DATA_USER_ROUTES, TWO_PARTY_PATH } from '@eigenveil/wire/routes/csp/data-user';
import { CSP_OWNER_ROUTES } from '@eigenveil/wire/routes/csp/owner';
import { CONSOLE_ROUTES, OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Device, newUserId, Site } from '../services/authenticator/test/authenticator.ts';
import { ByHand } from './support/by-hand.ts';
import { signIn } from './support/console.ts';
import { query } from './support/database.ts';
import {
  type Attempt,
  bearerAttempts,
  proofAttempts,
  type Target,
  tokenAttempts,
} from './support/intruders.ts';
import {
  type Address,
  type Answer,
  credentials,
  KeptConnections,
  ownerOf,
  type Sender,
  send,
} from './support/requests.ts';
import { upgradeHeaders } from './support/rogue.ts';
import { type Enrolled, World } from './support/world.ts';

interface Operation {
  readonly method: string;
  /** With {taskId}. */
  readonly path: string;
  /** Empty: it is open to everybody. */
  readonly schemes: readonly string[];
  readonly upgrade?: boolean;
}

const OWNERS_PAGE = 'https://owner.example.org';

let world: World;
let task: SignedTask;
let otherTask: SignedTask;
let owner: Enrolled;
let stranger: SigningKey;
let cspKey: SigningKey;
let dataUserKey: SigningKey;
let otherDataUserKey: SigningKey;
let adminTokens: { readonly csp: string; readonly dataUser: string; readonly authenticator: string };
let site: Site;
let connections: KeptConnections;
let device: Device;
let invitation: string;
let receipt: string;
let bearer: string;

beforeAll(async () => {
  const key = async () => importSigningKey(await generatePrivateJwk());
  [stranger, otherDataUserKey] = [await key(), await key()];
  world = await World.start({
    csp: { dataUsers: [otherDataUserKey.thumbprint], allowedOrigins: [OWNERS_PAGE] },
    dataUser: { allowedOrigins: [OWNERS_PAGE] },
  });
  site = await Site.start();
  connections = new KeptConnections(site.running.url);
  device = await site.device();
  await device.openSession();
  invitation = await site.invite(newUserId());
  cspKey = await openSigningKey(world.cspConfig.dataDirectory);
  dataUserKey = await openSigningKey(world.dataUserConfig.dataDirectory);
  const tokenOf = async (directory: string) => (await readFile(adminTokenFile(directory), 'utf8')).trim();
  adminTokens = {
    csp: await tokenOf(world.cspConfig.dataDirectory),
    dataUser: await tokenOf(world.dataUserConfig.dataDirectory),
    authenticator: await tokenOf(site.config.dataDirectory),
  };
  const byHand = await ByHand.start(world);
  [task, otherTask] = [await byHand.create(), await byHand.create()];
  owner = await world.enrolledOwner();
  const sent = await byHand.contribution(owner, task, 0);
  receipt = String((await byHand.put(owner, task.task.id, sent)).json.receipt);
  ({ bearer } = await signIn(world.dataUserAddress, adminTokens.dataUser));
});
afterAll(async () => {
  connections.end();
  await site.close();
  await world.close();
});

const SERVICES = ['csp', 'dataUser', 'authenticator'] as const;
type Name = (typeof SERVICES)[number];
const addressOf = (name: Name): Address =>
  name === 'csp'
    ? world.cspAddress
    : name === 'dataUser'
      ? world.dataUserAddress
      : { url: site.running.url, ca: site.ca };
const directories = () => [
  world.cspConfig.dataDirectory,
  world.dataUserConfig.dataDirectory,
  site.config.dataDirectory,
];

/** What stands in a path: an id that there is, and another that could be. */
const IDS: Record<string, { readonly known: () => string; readonly fresh: () => string }> = {
  '{taskId}': { known: () => task.task.id, fresh: newTaskId },
  '{userId}': { known: () => device.userId, fresh: newUserId },
  '{sessionId}': { known: () => device.session!, fresh: () => randomBytes(16).toString('base64url') },
};
const idIn = (path: string) => Object.entries(IDS).find(([name]) => path.includes(name));

/** The pages that a service hands out stand in no table. */
const CONSOLE_FILES = ['/console', '/console/', '/console/{file}'];

const TABLES: Record<Name, readonly RouteTable[]> = {
  csp: [CSP_OWNER_ROUTES, CSP_DATA_USER_ROUTES],
  // A route of two tables is one route.
  dataUser: [{ ...OWNER_ROUTES, ...OPERATOR_ROUTES }, CONSOLE_ROUTES],
  authenticator: [RELYING_ROUTES, DEVICE_ROUTES],
};

const inDocument = (path: string) => path.replaceAll(PARAMETER, '{$1}');

/** The routes that the service's tables have, its pages, and the route that no document of OpenAPI can describe. */
function operationsOf(name: Name): Operation[] {
  const entries = [IDENTITY_ROUTES, COMMON_ROUTES, ...TABLES[name]].flatMap((table) => Object.values(table));
  return [
    ...entries.map(({ method, path, auth }) => ({
      method: method.toUpperCase(),
      path: inDocument(path),
      schemes: [auth].flat().filter((kind) => kind !== 'none'),
    })),
    ...(name === 'dataUser' ? CONSOLE_FILES : []).map((path) => ({ method: 'GET', path, schemes: [] })),
    ...(name === 'csp' ? [TWO_PARTY] : []),
  ];
}

const TWO_PARTY = { method: 'GET', path: inDocument(TWO_PARTY_PATH), schemes: ['dataUser'], upgrade: true };

const targetOf = (name: Name, { method, path }: Operation, id?: string): Target => {
  const [placeholder = '', ids] = idIn(path) ?? [];
  return {
    url: addressOf(name).url,
    method,
    path: path.replace(placeholder, id ?? ids?.known() ?? '').replace('{number}', '1'),
  };
};

/** Sends a request that is right but for its credentials, as far as one request can be for all routes. */
function ask(
  name: Name,
  operation: Operation,
  target: Target,
  headers: Record<string, string>,
): Promise<Answer> {
  const { method, path } = target;
  const rest = operation.upgrade === true ? upgradeHeaders() : {};
  return send(addressOf(name), { method, path, headers: { ...headers, ...rest } });
}

/** The credentials that must not open a route of these schemes: of several, none may be right for another one. */
async function attemptsOn(name: Name, schemes: readonly string[]): Promise<Attempt[]> {
  const attempts = (await Promise.all(schemes.map((scheme) => attemptsOnScheme(name, scheme)))).flat();
  return attempts.filter(({ opens }) => opens === undefined || !schemes.includes(opens));
}

/** The credentials that must not open a route of this scheme; the last word on which schemes there are. */
async function attemptsOnScheme(
  name: Name,
  scheme: string,
): Promise<(Attempt & { readonly opens?: string })[]> {
  const elsewhere = {
    url: addressOf(name === 'csp' ? 'dataUser' : 'csp').url,
    path: (path: string) =>
      path.includes(task.task.id) ? path.replace(task.task.id, otherTask.task.id) : `${path}/x`,
  };
  const sender = await ownerOf(owner.home);
  const ownerToken = sender.token!;
  const statements = {
    "the owner's token": ownerToken,
    "the CSP's agreement": task.agreement,
    'a receipt': receipt,
  };
  const forbidden = (who: string, key: SigningKey): Attempt => ({
    name: who,
    headers: ({ url, ...message }) => credentials({ url, ca: '' }, { key }, message),
    code: 'ERR_AUTH_FORBIDDEN',
  });
  switch (scheme) {
    case 'admin':
    case 'operator':
    case 'console': {
      const others = {
        ...statements,
        "the other service's token": adminTokens[name === 'dataUser' ? 'csp' : 'dataUser'],
        ...(scheme === 'admin' && { 'a bearer of the console': bearer }),
        ...(scheme === 'console' && { "the operator's token": adminTokens.dataUser }),
      };
      return [
        ...bearerAttempts(adminTokens[name], others),
        ...proofAttempts(sender, stranger, elsewhere).slice(0, 1),
      ];
    }
    case 'owner': {
      const { "the owner's token": _, ...others } = {
        ...statements,
        "the operator's token": adminTokens.dataUser,
      };
      return [
        ...proofAttempts(sender, stranger, elsewhere),
        ...(await tokenAttempts(cspKey, sender.key, stranger, others)),
        {
          name: "the operator's token",
          headers: () => ({ authorization: `Bearer ${adminTokens.dataUser}` }),
          code: 'ERR_AUTH_REQUIRED',
          opens: 'operator',
        },
      ];
    }
    case 'dataUser':
      return [
        ...proofAttempts({ key: dataUserKey }, stranger, elsewhere),
        forbidden('a proof of a stranger', stranger),
        forbidden('a proof of an owner', sender.key),
        forbidden('a proof of the CSP itself', cspKey),
        {
          name: "the operator's token",
          headers: () => ({ authorization: `Bearer ${adminTokens.csp}` }),
          code: 'ERR_AUTH_REQUIRED',
        },
      ];
    case 'relyingApplication':
      return [
        ...proofAttempts({ key: site.relying }, stranger, elsewhere),
        forbidden('a proof of a stranger', stranger),
        forbidden('a proof of a device', device.key),
      ];
    case 'device':
      return [
        ...proofAttempts({ key: device.key }, stranger, elsewhere),
        forbidden('a proof of a stranger', stranger),
        forbidden('a proof of the relying application', site.relying),
      ];
    case 'invited':
      return proofAttempts({ key: stranger, token: invitation }, device.key, elsewhere);
    case 'enrolment':
      return proofAttempts({ key: stranger }, dataUserKey, elsewhere);
    default:
      throw new TypeError(`the service has a scheme that this test does not know: ${scheme}`);
  }
}

/** A refusal says what it has to, and nothing else. */
function expectRefusal(answer: Answer, code: string, presented: Record<string, string>): void {
  expect(answer.code).toBe(code);
  const problem = ProblemSchema.strict().parse(answer.json);
  expect(problem.status).toBe(answer.status);
  expect(answer.status).toBe(code === 'ERR_AUTH_FORBIDDEN' ? 403 : 401);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['x-powered-by'] ?? answer.headers.server).toBeUndefined();
  expect(answer.text.length).toBeLessThan(400);
  expect(answer.text).not.toMatch(/\bat .*:\d+|node_modules|\.ts\b|iris|sepal/);
  const said = answer.text + JSON.stringify(answer.headers);
  const secrets = [...Object.values(adminTokens), ...Object.values(presented)].filter(
    ({ length }) => length > 8,
  );
  expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
  for (const { known } of Object.values(IDS)) expect(said).not.toContain(known());
}

/** A digest of everything that a service has stored, but for what changes by itself: how many uploads it has refused, and when its list of revoked owners was signed. */
function stateOf(directory: string): string {
  const hash = createHash('sha256');
  for (const { name } of query(
    directory,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('refusals', 'revocations') ORDER BY name`,
  )) {
    for (const row of query(directory, `SELECT * FROM ${String(name)}`)) {
      hash.update(`${name} ${JSON.stringify(row)}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * Tries credentials at every route that is not open: all at the first route of a scheme, and at the others those without which it would be
 * open to everybody or to another role, and of the rest each `turns`-th, another one at every route.
 */
async function expectRefusals(name: Name, turns: number): Promise<void> {
  const before = directories().map(stateOf);
  const seen = new Set<string>();
  let refused = 0;
  for (const [i, operation] of operationsOf(name).entries()) {
    const { schemes } = operation;
    if (schemes.length === 0) continue;
    const all = await attemptsOn(name, schemes);
    const seenFor = schemes.join();
    const isTried = ({ code }: Attempt, j: number) =>
      !seen.has(seenFor) || j === 0 || code === 'ERR_AUTH_FORBIDDEN' || (i + j) % turns === 0;
    for (const attempt of all.filter(isTried)) {
      const target = targetOf(name, operation);
      const headers = await attempt.headers(target);
      const answer = await ask(name, operation, target, headers);
      expect.soft({ ...operation, attempt: attempt.name, code: answer.code }).toEqual({
        ...operation,
        attempt: attempt.name,
        code: attempt.code,
      });
      expectRefusal(answer, attempt.code, headers);
      const challenge = schemes.map((scheme) => (BEARERS.includes(scheme) ? 'Bearer' : 'DPoP')).join(', ');
      if (answer.status === 401 && operation.upgrade !== true)
        expect(answer.headers['www-authenticate']).toBe(challenge);
      refused += 1;
    }
    seen.add(seenFor);
  }
  expect(refused).toBeGreaterThan(60);
  expect(directories().map(stateOf)).toEqual(before);
}

const BEARERS = ['admin', 'operator', 'console'];

/** Which routes the page of an origin may ask, and read what they answer. */
async function readable(name: Name, operations: readonly Operation[], origin: string): Promise<string[]> {
  const open: string[] = [];
  for (const operation of operations) {
    const target = targetOf(name, operation);
    const { method, path } = target;
    const headers = { origin, 'access-control-request-method': method };
    const asked = await send(addressOf(name), { method: 'OPTIONS', path, headers });
    const answer = await ask(name, operation, target, { origin });
    const [may, can] = [asked, answer].map((it) => it.headers['access-control-allow-origin'] === origin);
    const methods = asked.headers['access-control-allow-methods']?.split(',') ?? [];
    expect.soft({ ...operation, can }).toEqual({ ...operation, can: may && methods.includes(method) });
    expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    if (can) {
      expect(answer.headers.vary).toMatch(/\bOrigin\b/);
      open.push(`${operation.method} ${operation.path}`);
    }
  }
  return open.sort();
}

/** Its secret is in the body: console-sessions.test.ts. */
const OPEN_TO_CONSOLE = ['GET /console', 'GET /console/', 'GET /console/{file}', 'POST /console/session'];

/** What an owner asks of each service, and nobody else but of the identity key. */
const OPEN_TO_PAGES: Record<Name, readonly string[]> = {
  csp: [
    'DELETE /tasks/{taskId}/record',
    'GET /.well-known/jwks.json',
    'POST /enrolments',
    'POST /owners/counter',
  ],
  dataUser: [
    'DELETE /tasks/{taskId}/contribution',
    'GET /.well-known/jwks.json',
    'GET /tasks/{taskId}',
    'GET /tasks/{taskId}/basis',
    'GET /tasks/{taskId}/contribution/pieces',
    'GET /tasks/{taskId}/next',
    'GET /tasks/{taskId}/projection',
    'GET /tasks/{taskId}/state',
    'PUT /tasks/{taskId}/contribution',
    'PUT /tasks/{taskId}/contribution/pieces/{number}',
  ],
  authenticator: [],
};

const FOR_NOTHING = [
  'ERR_TASK_UNKNOWN',
  'ERR_USER_UNKNOWN',
  'ERR_SESSION_UNKNOWN',
  'ERR_CONTENT_TYPE',
  'ERR_RECORD_INVALID',
];

describe.each(SERVICES)('at the %s', (name) => {
  test('there is nothing but what its tables have', async () => {
    const { json } = await send(addressOf(name), { method: 'GET', path: '/openapi.json' });
    const documented = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const described = operationsOf(name).filter((operation) => operation !== TWO_PARTY);
    expect(documented.sort()).toEqual(described.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('only these routes are open to everybody', async () => {
    const open = operationsOf(name).filter(({ schemes }) => schemes.length === 0);
    const routes = open.map(({ method, path }) => `${method} ${path}`).sort();
    expect(routes).toEqual(
      [
        'GET /.well-known/jwks.json',
        'GET /healthz',
        'GET /openapi.json',
        'GET /readyz',
        ...(name === 'dataUser' ? OPEN_TO_CONSOLE : []),
      ].sort(),
    );
  });

  // The first who asks for the console's files has all of them compressed, which takes seconds.
  test('only what owners ask for is open to the page of an allowed origin, and to no other page', async () => {
    const operations = operationsOf(name).filter(({ path }) => !CONSOLE_FILES.includes(path));
    expect(await readable(name, operations, OWNERS_PAGE)).toEqual(OPEN_TO_PAGES[name]);
    const open = operations.filter(({ method, path }) => OPEN_TO_PAGES[name].includes(`${method} ${path}`));
    const [one, ...others] = ['https://owner.example.org.evil.example', 'http://owner.example.org', 'null'];
    expect(await readable(name, operations, one!)).toEqual([]);
    for (const other of others) expect(await readable(name, open, other)).toEqual([]);
  });

  test('every other route refuses credentials that are not right, each in turn, and nothing changes', () =>
    expectRefusals(name, 4));

  test('the files of the console are open to no page of another origin', { tags: ['long'] }, async () => {
    const files = operationsOf(name).filter(({ path }) => CONSOLE_FILES.includes(path));
    expect(files).toHaveLength(name === 'dataUser' ? CONSOLE_FILES.length : 0);
    expect(await readable(name, files, OWNERS_PAGE)).toEqual([]);
  });

  test('every other route refuses every credential that is not right', { tags: ['long'] }, () =>
    expectRefusals(name, 1),
  );

  test('somebody unknown cannot tell a task, user or session that exists from one that does not', async () => {
    for (const operation of operationsOf(name)) {
      const [, ids] = idIn(operation.path) ?? [];
      if (ids === undefined) continue;
      // The two-party connection's path is no path with what is no id.
      const malformed = operation.upgrade === true ? [] : ['x', '..%2f..%2fmetrics'];
      const [first, ...others] = await Promise.all(
        [ids.known(), ids.fresh(), ...malformed].map(async (id) => {
          const { status, text } = await ask(name, operation, targetOf(name, operation, id), {});
          return { status, text };
        }),
      );
      expect(first!.status).toBe(401);
      for (const other of others) expect(other).toEqual(first);
    }
  });

  test('a proof opens a route once, also for its own sender', async () => {
    const owners = await ownerOf(owner.home);
    // A proof for enrolment is used up with a valid token only: bad-requests.test.ts.
    const senders: Record<string, Sender> = {
      owner: owners,
      dataUser: { key: dataUserKey },
      relyingApplication: { key: site.relying },
      device: { key: device.key },
      invited: { key: stranger, token: invitation },
    };
    let replayed = 0;
    for (const operation of operationsOf(name)) {
      const sender = senders[operation.schemes[0] ?? ''];
      if (sender === undefined) continue;
      // What is not there, so that nothing happens.
      const target = targetOf(name, operation, idIn(operation.path)?.[1].fresh());
      const headers = await credentials(addressOf(name), sender, target);
      const first = await ask(name, operation, target, headers);
      // But for a session, which a device opens with its proof alone, and a list that is the same for all.
      if (operation.path === '/sessions') expect(first.status).toBe(201);
      else if (operation.path === '/revocations') expect(first.status).toBe(200);
      else expect(FOR_NOTHING).toContain(first.code);
      const second = await ask(name, operation, target, headers);
      expectRefusal(second, 'ERR_PROOF_REPLAYED', headers);
      replayed += 1;
    }
    expect(replayed).toBeGreaterThan(3);
  });
});

test('a task is to another registered data user as if it did not exist', async () => {
  const operations = operationsOf('csp').filter(
    ({ schemes, path }) => schemes.includes('dataUser') && path.includes('{taskId}'),
  );
  expect(operations.length).toBeGreaterThan(3);
  const json = { 'content-type': 'application/json' };
  const bodies: Record<string, { headers: Record<string, string>; body: string }> = {
    records: { headers: json, body: JSON.stringify({ records: ['x'] }) },
    fixation: {
      headers: json,
      body: JSON.stringify({ verifiedOwners: 2, contributionsRoot: 'A'.repeat(43) }),
    },
    countersignature: { headers: json, body: JSON.stringify({ projectionDigest: 'A'.repeat(43) }) },
    unblinding: { headers: { 'content-type': 'application/octet-stream' }, body: 'x' },
  };
  for (const operation of operations) {
    const answers: Pick<Answer, 'status' | 'text'>[] = [];
    for (const id of [task.task.id, newTaskId()]) {
      const target = targetOf('csp', operation, id);
      const { headers = {}, body } = bodies[operation.path.split('/').at(-1)!] ?? {};
      const proof = await credentials(world.cspAddress, { key: otherDataUserKey }, target);
      const upgrade = operation.upgrade === true ? upgradeHeaders() : {};
      const message = { ...target, headers: { ...proof, ...headers, ...upgrade }, body };
      const { status, text, code } = await send(world.cspAddress, message);
      expect(code).toBe('ERR_TASK_UNKNOWN');
      answers.push({ status, text });
    }
    expect(answers[0]).toEqual(answers[1]);
  }
});
