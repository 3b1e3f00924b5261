/** An authenticator over TLS on loopback, in this process, with its folder, its relying application and devices, which tests play by hand. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { adminTokenFile, createLocalCertificate } from '@eigenveil/server';
import { generator, seedOf } from '@eigenveil/testbed/random';
import {
  createProof,
  Digest,
  digestBytes,
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
} from '@eigenveil/wire';
import {
  type AuthenticatorConfiguration,
  type AuthenticatorOverrides,
  type RunningAuthenticator,
  startAuthenticator,
} from '../src/index.ts';
import { type DecisionEvent, DecisionsResponse, SessionId, UserId, UserStatus } from '../src/messages.ts';

/** The paths of all routes, written out: devices and applications that are not made of this checkout's table ask there. */
export const PATHS = {
  invitations: '/invitations',
  decisions: '/decisions',
  enrolments: '/enrolments',
  sessions: '/sessions',
  session: (id: SessionId) => `/sessions/${id}`,
  windows: (id: SessionId) => `/sessions/${id}/windows`,
  user: (id: UserId) => `/users/${id}`,
  stepUps: (id: UserId) => `/users/${id}/step-ups`,
  unlocks: (id: UserId) => `/users/${id}/unlocks`,
} as const;

export const COMPONENTS = 4;
export const PROJECTION = digestBytes('test', Buffer.from('a projection'));
export const OTHER_PROJECTION = digestBytes('test', Buffer.from('another projection'));

/** Falls by 10 for a strange window, and rises by 1 for one like the template's. */
export const TRUST = {
  kind: 'trust',
  threshold: 8,
  width: 1,
  reward: 1,
  penalty: 10,
  stepUpBelow: 75,
  lockBelow: 25,
  confidentFrom: 85,
} as const;

export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly json: Record<string, unknown>;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** How one request differs from an honest one. */
interface Oddity {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The same numbers every time. */
const numbers = generator(seedOf('authenticator'));

/** The user's own windows: near a point of their own, and of no great spread. `user` in [0, 1). */
export function windowsOf(user: number, count: number, random = numbers): number[][] {
  return Array.from({ length: count }, () =>
    Array.from({ length: COMPONENTS }, (_, i) => Math.sin(1 + 20 * user + i) + 0.1 * (random() - 0.5)),
  );
}

/** Far from everybody's. */
export const strangeWindows = (count: number): number[][] =>
  Array.from({ length: count }, () => Array.from({ length: COMPONENTS }, () => 5 + numbers()));

export class Site {
  readonly folder: string;
  readonly ca: string;
  readonly relying: SigningKey;
  readonly config: AuthenticatorConfiguration;
  readonly overrides: AuthenticatorOverrides;
  #running: RunningAuthenticator | undefined;

  private constructor({ folder, tls, relying, config }: Place, overrides: AuthenticatorOverrides) {
    this.folder = folder;
    this.ca = tls.cert;
    this.relying = relying;
    this.config = config;
    this.overrides = overrides;
  }

  static async start(
    config: Partial<AuthenticatorConfiguration> = {},
    overrides: AuthenticatorOverrides = {},
  ): Promise<Site> {
    const projections = [
      {
        digest: PROJECTION,
        components: COMPONENTS,
        largestLength: 100,
        score: 'mahalanobis',
        engine: TRUST,
        movement: 0.05,
      },
      { digest: OTHER_PROJECTION, components: 2, score: 'euclidean', engine: TRUST },
    ] as const;
    const site = new Site(await newPlace({ projections: [...projections], ...config }), overrides);
    await site.open();
    return site;
  }

  /** Of a service that runs. */
  get running(): RunningAuthenticator {
    if (this.#running === undefined) throw new TypeError('the service is closed');
    return this.#running;
  }

  async open(
    config: Partial<AuthenticatorConfiguration> = {},
    overrides: AuthenticatorOverrides = {},
  ): Promise<void> {
    this.#running = await startAuthenticator(
      { ...this.config, ...config },
      { ...this.overrides, ...overrides },
    );
  }

  async shut(): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
  }

  async restart(
    config: Partial<AuthenticatorConfiguration> = {},
    overrides: AuthenticatorOverrides = {},
  ): Promise<void> {
    await this.shut();
    await this.open(config, overrides);
  }

  async close(): Promise<void> {
    await this.shut();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A request as this key's holder sends it, or with no proof. */
  async send(
    key: SigningKey | undefined,
    method: string,
    path: string,
    json?: unknown,
    { token, headers = {}, body = json === undefined ? undefined : JSON.stringify(json) }: Oddity = {},
    agent?: Agent,
  ): Promise<Answer> {
    const { url } = this.running;
    const proof =
      key === undefined ? {} : { dpop: await createProof(key, { method, url: `${url}${path}`, token }) };
    const all = {
      ...proof,
      ...(token === undefined ? {} : { authorization: `DPoP ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { method, headers: all, ca: this.ca, agent: agent ?? false });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        text(incoming).then((answer) => {
          const isJson = /json/.test(incoming.headers['content-type'] ?? '');
          const parsed = isJson ? (JSON.parse(answer) as Record<string, unknown>) : {};
          const code = typeof parsed.code === 'string' ? parsed.code : undefined;
          resolve({
            status: incoming.statusCode!,
            code,
            json: parsed,
            text: answer,
            headers: incoming.headers,
          });
        }, reject);
      });
      outgoing.end(body);
    });
  }

  /** As the relying application. */
  ask(method: string, path: string, json?: unknown): Promise<Answer> {
    return this.send(this.relying, method, path, json);
  }

  async invite(userId: UserId, purpose: 'enrol' | 'renew' = 'enrol'): Promise<string> {
    const { status, json } = await this.ask('POST', PATHS.invitations, { userId, purpose });
    if (status !== 201) throw new TypeError(`not invited: ${JSON.stringify(json)}`);
    return String(json.token);
  }

  enrol(key: SigningKey, token: string | undefined, body: unknown): Promise<Answer> {
    return this.send(key, 'POST', PATHS.enrolments, body, { token });
  }

  /** A device that is enrolled for a new user. */
  async device(seed = numbers(), windows = windowsOf(seed, 40)): Promise<Device> {
    const userId = newUserId();
    const key = await newKey();
    const body = { projection: PROJECTION, windows };
    const { status, text: answer } = await this.enrol(key, await this.invite(userId), body);
    if (status !== 201) throw new TypeError(`not enrolled: ${answer}`);
    return new Device(this, userId, key, seed);
  }

  async adminToken(): Promise<string> {
    return (await readFile(adminTokenFile(this.config.dataDirectory), 'utf8')).trim();
  }

  /** Everything that the operator can measure. */
  async metrics(): Promise<string> {
    const adminToken = await this.adminToken();
    const headers = { authorization: `Bearer ${adminToken}` };
    return (await this.send(undefined, 'GET', '/metrics', undefined, { headers })).text;
  }

  async events(after = 0): Promise<DecisionEvent[]> {
    const { json } = await this.ask('POST', PATHS.decisions, { after });
    return DecisionsResponse.parse(json).events;
  }

  /** A user's events, as decision and reason. */
  async historyOf(userId: UserId): Promise<string[]> {
    const events = (await this.events()).filter((event) => event.userId === userId);
    return events.map(({ decision, reason }) => `${decision}: ${reason}`);
  }

  async status(userId: UserId): Promise<UserStatus> {
    return UserStatus.parse((await this.ask('GET', PATHS.user(userId))).json);
  }

  /** Confirms what the user waits at. */
  async confirm(userId: UserId): Promise<void> {
    const { event } = await this.status(userId);
    const { status, text: answer } = await this.ask('POST', PATHS.stepUps(userId), { event });
    if (status !== 204) throw new TypeError(`not confirmed: ${answer}`);
  }
}

export class Device {
  readonly site: Site;
  readonly userId: UserId;
  readonly key: SigningKey;
  readonly seed: number;
  session: SessionId | undefined;
  next = 0;

  constructor(site: Site, userId: UserId, key: SigningKey, seed: number) {
    this.site = site;
    this.userId = userId;
    this.key = key;
    this.seed = seed;
  }

  async openSession(): Promise<SessionId> {
    const { json, text: answer, status } = await this.site.send(this.key, 'POST', PATHS.sessions);
    if (status !== 201) throw new TypeError(`no session: ${answer}`);
    this.session = SessionId.parse(json.sessionId);
    this.next = 0;
    return this.session;
  }

  /** Sends a batch with these numbers, whatever was sent before. */
  sendAt(first: number, windows: readonly unknown[], session = this.session!): Promise<Answer> {
    return this.site.send(this.key, 'POST', PATHS.windows(session), { first, windows });
  }

  /** The next batch. */
  async show(windows: readonly unknown[]): Promise<Answer> {
    const answer = await this.sendAt(this.next, windows);
    if (answer.status === 204) this.next += windows.length;
    return answer;
  }

  /** Windows like those of the template. */
  async behave(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 50) {
      const { status, text: answer } = await this.show(windowsOf(this.seed, Math.min(left, 50)));
      if (status !== 204) throw new TypeError(`refused: ${answer}`);
    }
  }

  /** A session whose step-up is confirmed. */
  async admitted(): Promise<this> {
    await this.openSession();
    await this.site.confirm(this.userId);
    return this;
  }
}

export const newUserId = (): UserId => UserId.parse(`user-${randomBytes(6).toString('hex')}`);
export const anyDigest = (): Digest => Digest.parse(randomBytes(32).toString('base64url'));

export const newKey = async (): Promise<SigningKey> => importSigningKey(await generatePrivateJwk());

/** All that a service needs to run: a folder, a certificate for loopback, the key of its relying application, and settings with all of these. */
export interface Place {
  readonly folder: string;
  readonly tls: Awaited<ReturnType<typeof createLocalCertificate>>;
  readonly relying: SigningKey;
  readonly config: AuthenticatorConfiguration;
}

/** Makes one; whoever has it removes the folder. */
export async function newPlace(
  settings: Pick<AuthenticatorConfiguration, 'projections'> & Partial<AuthenticatorConfiguration>,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-authenticator-'));
  const tls = await createLocalCertificate();
  const relying = await newKey();
  const config: AuthenticatorConfiguration = {
    dataDirectory: join(folder, 'service'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    tlsCertificate: join(folder, 'cert.pem'),
    tlsKey: join(folder, 'key.pem'),
    keyEncryptionKey: undefined,
    requestsPerMinute: 1_000_000,
    connectionsPerAddress: 1000,
    logPeers: 'address',
    traceEndpoint: undefined,
    logLevel: 'silent',
    relyingApplications: [relying.thumbprint],
    enrolmentWindows: 20,
    invitationHours: 1,
    windowsPerMinute: 100_000,
    sessionsPerHour: 1000,
    stepUpsPerDay: 1000,
    idleSeconds: 300,
    activeSessions: 1000,
    eventDays: 30,
    learnAfterStepUp: 50,
    learnAfterRun: 200,
    learningShare: 0.1,
    driftLevel: 0.01,
    driftAlarm: 0.01,
    webhookUrl: undefined,
    webhookCa: undefined,
    ...settings,
  };
  await writeFile(config.tlsCertificate, tls.cert);
  await writeFile(config.tlsKey, tls.key);
  return { folder, tls, relying, config };
}
