/** Requests as somebody would send them who does not use our clients: any header, any body, any record. */
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, get, request } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { OwnerHome } from '@eigenveil/data-owner';
import { PaillierPool, PublicKey } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import {
  AGREEMENT,
  type Agreement,
  createProof,
  digestBytes,
  digestPublicKey,
  digestTask,
  type OwnerRecord,
  RECORD,
  type SignedTask,
  type SigningKey,
  SPOKEN_VERSION,
  VERSION_HEADER,
} from '@eigenveil/wire';

export interface Address {
  readonly url: string;
  readonly ca: string;
  /** Keeps connections for further requests; without it each has its own, unless the service's are kept. */
  readonly agent?: Agent;
}

const KEPT = new Map<string, Agent>();
/** A service may close the connection of a longer body that it refuses, while another request begins on it. */
const KEPT_FOR_BYTES = 2 ** 16;

/** Keeps the connections of short requests to some services, until they are ended: a handshake costs five times as much as a request. */
export class KeptConnections {
  readonly #urls: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });

  constructor(...urls: readonly string[]) {
    this.#urls = urls;
    for (const url of urls) KEPT.set(url, this.#agent);
  }

  /** Closes those that wait for a request, before a service that stops does, which a request might meet. */
  hangUp(): void {
    for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
  }

  end(): void {
    for (const url of this.#urls) KEPT.delete(url);
    this.#agent.destroy();
  }
}

export interface Message {
  readonly method: string;
  readonly path: string;
  /** Beside the version of this release, which `undefined` takes away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | string | undefined;
}

export interface Ports {
  readonly service: number;
  readonly client: number;
}

export interface Answer {
  readonly status: number;
  /** The stable code of a problem. */
  readonly code: string | undefined;
  readonly json: Record<string, unknown>;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** Of both sides of the connection. */
  readonly ports: Ports;
}

function withVersion(headers: Message['headers'] = {}): Record<string, string> {
  const all = Object.entries({ [VERSION_HEADER]: `${SPOKEN_VERSION}`, ...headers });
  return Object.fromEntries(all.filter((it): it is [string, string] => it[1] !== undefined));
}

function portsOf({ localPort, remotePort }: Socket): Ports {
  return { service: remotePort!, client: localPort! };
}

/** Sends one request and reads whatever comes back. A WebSocket (101) is closed at once. */
export function send(
  { url, ca, agent }: Address,
  { method, path, headers = {}, body }: Message,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, {
      method,
      headers: withVersion(headers),
      ca,
      agent:
        agent ?? (body === undefined || body.length <= KEPT_FOR_BYTES ? KEPT.get(url) : undefined) ?? false,
    });
    outgoing.on('response', (incoming) => {
      const ports = portsOf(incoming.socket);
      text(incoming).then((answer) => {
        const isJson = /^application\/(problem\+)?json\b/.test(incoming.headers['content-type'] ?? '');
        const json = isJson ? (JSON.parse(answer) as Record<string, unknown>) : {};
        const code = typeof json.code === 'string' ? json.code : undefined;
        resolve({ status: incoming.statusCode!, code, json, text: answer, headers: incoming.headers, ports });
      }, reject);
    });
    outgoing.on('upgrade', ({ statusCode, headers: received }, socket) => {
      const ports = portsOf(socket as Socket);
      socket.destroy();
      const answer = { status: statusCode!, code: undefined, json: {}, text: '', headers: received };
      resolve({ ...answer, ports });
    });
    outgoing.on('error', reject); // one that comes after the answer changes nothing any more
    outgoing.end(body);
  });
}

/** What a service says at `path`, in whatever form. */
export function textOf({ url, ca }: Address, path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { ca, headers, agent: false }, (answer) => resolve(text(answer))).on(
      'error',
      reject,
    );
  });
}

/** Sends a request whose body ends before the length that it has announced, and hangs up. */
export async function sendCutOff({ url, ca }: Address, message: Message, announced: number): Promise<void> {
  const { method, path, body } = message;
  const headers = { ...withVersion(message.headers), 'content-length': String(announced) };
  const outgoing = request(`${url}${path}`, { method, headers, ca, agent: false });
  outgoing.on('error', () => undefined); // the service may hang up first
  const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
  outgoing.write(body ?? '', () => setImmediate(() => outgoing.destroy()));
  await closed;
}

/** What a request needs so that the service knows who sends it. */
export interface Sender {
  readonly key: SigningKey;
  readonly token?: string | undefined;
}

export async function ownerOf(home: OwnerHome): Promise<Sender> {
  return { key: await home.signingKey(), token: (await home.enrolment())!.ownerToken };
}

export async function credentials(
  { url }: Address,
  { key, token }: Sender,
  { method, path }: Pick<Message, 'method' | 'path'>,
): Promise<Record<string, string>> {
  const dpop = await createProof(key, { method, url: `${url}${path}`, token });
  return { dpop, ...(token === undefined ? {} : { authorization: `DPoP ${token}` }) };
}

/** Sends JSON or bytes with the credentials of the sender; headers in the message replace them. */
export async function sendAs(
  address: Address,
  sender: Sender,
  { json, ...message }: Message & { readonly json?: unknown },
): Promise<Answer> {
  const body = json === undefined ? message.body : JSON.stringify(json);
  const type = json === undefined ? 'application/octet-stream' : 'application/json';
  const headers = {
    ...(await credentials(address, sender, message)),
    ...(body === undefined ? {} : { 'content-type': type }),
    ...message.headers,
  };
  return send(address, { ...message, headers, body });
}

export interface Contribution {
  readonly bytes: Uint8Array;
  readonly record: string;
}

/** The request that hands in a contribution. */
export function contributionRequest(taskId: string, { bytes, record }: Partial<Contribution>): Message {
  return {
    method: 'PUT',
    path: `/tasks/${taskId}/contribution`,
    headers: record === undefined ? {} : { 'eigenveil-record': record },
    body: bytes,
  };
}

/** What a compact JWS says, whoever has signed it. */
export function payloadOf(jws: string): unknown {
  return JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString());
}

export function agreementOf({ agreement }: SignedTask): Agreement {
  return AGREEMENT.schema.parse(payloadOf(agreement));
}

export function publicKeyOf(signed: SignedTask): PublicKey {
  return PublicKey.fromJSON(agreementOf(signed).publicKey, signed.task);
}

const paillier = new PaillierPool({ threads: 0 });

/** An honest contribution, to be sent by hand or spoilt. */
export async function contributionOf(
  signed: SignedTask,
  home: OwnerHome,
  statistics: Statistics,
): Promise<Contribution> {
  const bytes = await encryptValues(signed, flatten(signed.task, statistics));
  return { bytes, record: await recordFor(signed, home, bytes) };
}

/** Ciphertexts of one value per slot of the task's layout. */
export async function encryptValues(signed: SignedTask, values: readonly bigint[]): Promise<Uint8Array> {
  const { task } = signed;
  const under = { task, publicKey: publicKeyOf(signed), packing: layout(task) };
  return contribute(under, values, { paillier, randomness: systemRandomness });
}

/** A record about `bytes` that is true and signed by the owner, as far as nothing else is said. */
export async function recordFor(
  signed: SignedTask,
  home: OwnerHome,
  bytes: Uint8Array,
  changes: {
    readonly claims?: Partial<OwnerRecord>;
    readonly header?: Record<string, unknown>;
    readonly signer?: SigningKey;
  } = {},
): Promise<string> {
  const key = changes.signer ?? (await home.signingKey());
  const header = { alg: 'Ed25519', typ: RECORD.type, jwk: key.publicJwk, ...changes.header };
  const claims = {
    taskId: signed.task.id,
    taskDigest: digestTask(signed.task),
    publicKeyDigest: digestPublicKey(agreementOf(signed).publicKey),
    ownerId: (await home.enrolment())!.ownerId,
    contributionDigest: digestBytes('contribution', bytes),
    ...changes.claims,
  };
  return signJws(header, claims, key);
}

/** A compact JWS with any header, which our own way of signing does not allow. */
export async function signJws(header: object, claims: object, key: SigningKey): Promise<string> {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signed = parts.join('.');
  const signature = await crypto.subtle.sign('Ed25519', key.privateKey, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}
