/** Requests as somebody would send them who does not use our clients: any header, any body, any record. */
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { OwnerHome } from '@eigenveil/data-owner';
import { encodeCiphertexts, PaillierPool, PublicKey, pack } from '@eigenveil/paillier';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import {
  type Agreement,
  createProof,
  digestBytes,
  digestPublicKey,
  digestTask,
  type OwnerRecord,
  RECORD,
  type SignedTask,
  type SigningKey,
  signStatement,
  verifySignedTask,
} from '@eigenveil/wire';

export interface Address {
  readonly url: string;
  readonly ca: string;
}

export interface Answer {
  readonly status: number;
  /** The stable code of a problem. */
  readonly code: string | undefined;
  readonly json: Record<string, unknown>;
  readonly text: string;
}

interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
}

/** Sends one request on a connection of its own and reads whatever comes back. */
export function send({ url, ca }: Address, message: Message): Promise<Answer> {
  const { method, path, headers = {}, body } = message;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, ca, agent: false });
    outgoing.on('response', (incoming) => {
      text(incoming).then((answer) => {
        const json = answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>);
        const code = typeof json.code === 'string' ? json.code : undefined;
        resolve({ status: incoming.statusCode!, code, json, text: answer });
      }, reject);
    });
    outgoing.on('error', reject); // after an answer it comes too late to matter
    outgoing.end(body);
  });
}

/** The headers by which the holder of a key proves who it is. */
export async function proofHeaders(
  { url }: Address,
  key: SigningKey,
  { method, path }: Pick<Message, 'method' | 'path'>,
  token?: string,
): Promise<Record<string, string>> {
  const dpop = await createProof(key, { method, url: `${url}${path}`, token });
  return { dpop, ...(token === undefined ? {} : { authorization: `DPoP ${token}` }) };
}

/** Sends JSON or bytes as the holder of `key`. */
export async function sendAs(
  address: Address,
  key: SigningKey,
  message: Message & { readonly json?: unknown; readonly token?: string },
): Promise<Answer> {
  const { json, token, body = json === undefined ? undefined : JSON.stringify(json) } = message;
  const headers = {
    ...(await proofHeaders(address, key, message, token)),
    ...(body === undefined
      ? {}
      : { 'content-type': json === undefined ? 'application/octet-stream' : 'application/json' }),
    ...message.headers,
  };
  return send(address, { method: message.method, path: message.path, headers, body });
}

export interface Contribution {
  readonly bytes: Uint8Array;
  readonly record: string;
}

const pool = new PaillierPool({ threads: 0 });

/** The agreement inside a signed task. */
export async function agreementOf(signed: SignedTask, home: OwnerHome): Promise<Agreement> {
  return verifySignedTask(signed, (await home.enrolment())!.cspKey);
}

/** Ciphertexts of some statistics under the key of a task. */
export async function encryptStatistics(
  { task }: SignedTask,
  agreement: Agreement,
  statistics: Statistics,
): Promise<Uint8Array> {
  const publicKey = PublicKey.fromJSON(agreement.publicKey, task);
  const plaintexts = pack(publicKey, layout(task), flatten(task, statistics));
  return encodeCiphertexts(publicKey, await pool.encrypt(publicKey, plaintexts, task.encryption));
}

/** A record about `bytes`, true except for the given claims, signed by the owner or by `key`. */
export async function recordFor(
  signed: SignedTask,
  home: OwnerHome,
  bytes: Uint8Array,
  claims: Partial<OwnerRecord> = {},
  key?: SigningKey,
): Promise<string> {
  const agreement = await agreementOf(signed, home);
  return signStatement(RECORD, key ?? (await home.signingKey()), {
    taskId: signed.task.id,
    taskDigest: digestTask(signed.task),
    publicKeyDigest: digestPublicKey(agreement.publicKey),
    ownerId: (await home.enrolment())!.ownerId,
    contributionDigest: digestBytes('contribution', bytes),
    ...claims,
  });
}

/** An honest contribution, to be spoilt or sent by hand. */
export async function contributionOf(
  signed: SignedTask,
  home: OwnerHome,
  statistics: Statistics,
): Promise<Contribution> {
  const bytes = await encryptStatistics(signed, await agreementOf(signed, home), statistics);
  return { bytes, record: await recordFor(signed, home, bytes) };
}

/** Puts a contribution to the data user with the owner's credentials, or with those given. */
export async function sendContribution(
  address: Address,
  home: OwnerHome,
  taskId: string,
  { bytes, record }: { readonly bytes: Uint8Array; readonly record?: string },
  credentials: {
    readonly token?: string;
    readonly key?: SigningKey;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  return sendAs(address, credentials.key ?? (await home.signingKey()), {
    method: 'PUT',
    path: `/tasks/${taskId}/contribution`,
    body: bytes,
    token: credentials.token ?? (await home.enrolment())!.ownerToken,
    headers: { ...(record === undefined ? {} : { 'eigenveil-record': record }), ...credentials.headers },
  });
}
