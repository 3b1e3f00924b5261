/** An owner's client that was written by docs/spec/messages.md alone, with nothing of Eigenveil: it says whether that page is enough. */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';

type Json = Record<string, unknown>;
interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}
/** The members of a task that this client reads. */
interface Task {
  readonly id: string;
  readonly csp: string;
  readonly dataUser: string;
  readonly keyBits: number;
  readonly fractionBits: number;
  readonly statisticalSecurityBits: number;
  readonly maximumOwners: number;
  readonly maximumSamplesPerOwner: number;
  readonly features: readonly { readonly min: number; readonly max: number }[];
}
interface Agreement {
  readonly taskId: string;
  readonly taskDigest: string;
  readonly publicKey: { readonly n: string };
  readonly dataUserKey: Jwk;
}

const hash = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('base64url');
const encoded = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Json;
const bits = (value: bigint) => value.toString(2).length;
const positive = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus;
const integerOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** RFC 8785 of values without numbers that JSON.stringify writes otherwise. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

export function digest(kind: string, content: unknown): string {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(canonical(content));
  return hash(Buffer.concat([Buffer.from(`eigenveil/1 ${kind}\0`), bytes]));
}

const thumbprint = ({ crv, kty, x }: Jwk) => hash(JSON.stringify({ crv, kty, x }));

/** Returns the claims of a statement. */
export function verified(jws: string, type: string, jwk: Jwk): Json {
  const [header, payload, signature] = jws.split('.') as [string, string, string];
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  const isSigned = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || decoded(header).typ !== type) throw new Error(`${type} expected to be signed`);
  return decoded(payload);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; square = (square * square) % modulus, rest >>= 1n)
    if (rest & 1n) result = (result * square) % modulus;
  return result;
}

/** The sums of a PCA without noise of owners. */
function sumsOf({ features, fractionBits }: Task, rows: readonly (readonly number[])[]): bigint[] {
  const cells = rows.map((row) =>
    row.map((cell, i) => {
      const { min, max } = features[i]!;
      const x = Math.min(max, Math.max(min, cell));
      const scaled = (2 ** fractionBits * (x - min - (max - x))) / (max - min);
      return BigInt(Math.sign(scaled) * Math.round(Math.abs(scaled)));
    }),
  );
  const sum = (of: (row: readonly bigint[]) => bigint) => cells.reduce((total, row) => total + of(row), 0n);
  const R = features.flatMap((_, i) => features.slice(i).map((_, j) => sum((row) => row[i]! * row[i + j]!)));
  return [...R, ...features.map((_, i) => sum((row) => row[i]!)), BigInt(rows.length), 1n];
}

/** The plaintexts of an exact task's values. */
function packed(task: Task, values: readonly bigint[], n: bigint): bigint[] {
  const Q = BigInt(task.maximumOwners) * BigInt(task.maximumSamplesPerOwner);
  const u = 2n ** BigInt(task.fractionBits);
  const d = task.features.length;
  const bounds = values.map((_, i) => {
    if (i === values.length - 1) return BigInt(task.maximumOwners);
    if (i === values.length - 2) return Q;
    return i < (d * (d + 1)) / 2 ? u * u * Q : u * Q;
  });
  const more = task.statisticalSecurityBits + Math.ceil(Math.log2(values.length)) + 1;
  const slots = bounds.map((bound, i) => ({ value: values[i]!, width: bits(bound) + 1 + more }));
  const used: number[] = [];
  const plaintexts: bigint[] = [];
  for (const { value, width } of slots.sort((a, b) => b.width - a.width)) {
    let at = used.findIndex((room) => room + width <= task.keyBits - 1);
    if (at < 0) at = used.push(0) - 1;
    plaintexts[at] = (plaintexts[at] ?? 0n) + value * 2n ** BigInt(used[at]!);
    used[at]! += width;
  }
  return plaintexts.map((plaintext) => positive(plaintext, n));
}

function encrypted(plaintext: bigint, n: bigint): Uint8Array {
  const square = n * n;
  const r = positive(integerOf(randomBytes(bits(n) / 8 + 16)), n);
  const c = ((1n + plaintext * n) * power(r, n, square)) % square;
  const bytes = 2 * Math.ceil(bits(n) / 8);
  return Buffer.from(c.toString(16).padStart(2 * bytes, '0'), 'hex');
}

export class SpecClient {
  readonly #key: KeyObject;
  readonly #jwk: Jwk;
  readonly #ca: string;
  ownerId = '';
  #token: string | undefined;

  constructor(ca: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { kty, crv, x } = publicKey.export({ format: 'jwk' }) as Jwk;
    this.#key = privateKey;
    this.#jwk = { kty, crv, x };
    this.#ca = ca;
  }

  #signed(type: string, claims: Json): string {
    const text = `${encoded({ alg: 'Ed25519', typ: type, jwk: this.#jwk })}.${encoded(claims)}`;
    return `${text}.${sign(null, Buffer.from(text), this.#key).toString('base64url')}`;
  }

  async #ask(method: string, url: string, body?: Uint8Array | Json, more: Record<string, string> = {}) {
    const token = this.#token;
    const proof = this.#signed('dpop+jwt', {
      htm: method,
      htu: url,
      iat: Math.floor(Date.now() / 1000),
      jti: randomBytes(16).toString('base64url'),
      ...(token !== undefined && { ath: hash(token) }),
    });
    const isBinary = body instanceof Uint8Array;
    const headers = {
      dpop: proof,
      ...(token !== undefined && { authorization: `DPoP ${token}` }),
      ...(body !== undefined && {
        'content-type': isBinary ? 'application/octet-stream' : 'application/json',
      }),
      ...more,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const outgoing = request(url, { method, headers, ca: this.#ca }, (incoming) => {
      buffer(incoming).then((bytes) => {
        const answer = JSON.parse(bytes.toString()) as Json;
        if (incoming.statusCode === 200) resolve(answer);
        else reject(new Error(JSON.stringify(answer)));
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined || isBinary ? body : JSON.stringify(body));
    return promise;
  }

  /** Returns the CSP's key, whose thumbprint is pinned. */
  async enrol(csp: string, pinned: string, enrolmentToken: string): Promise<Jwk> {
    const { keys } = (await this.#ask('GET', `${csp}/.well-known/jwks.json`)) as unknown as { keys: [Jwk] };
    if (thumbprint(keys[0]) !== pinned) throw new Error('another CSP');
    const enrolled = await this.#ask('POST', `${csp}/enrolments`, { enrolmentToken });
    this.ownerId = enrolled.ownerId as string;
    this.#token = enrolled.ownerToken as string;
    return keys[0];
  }

  /** Returns the task with what the CSP has signed about it. */
  async open(dataUser: string, id: string, csp: Jwk): Promise<{ task: Task; agreement: Agreement }> {
    const signed = (await this.#ask('GET', `${dataUser}/tasks/${id}`)) as { task: Task; agreement: string };
    const { task } = signed;
    const agreement = verified(signed.agreement, 'eigenveil-agreement+jws', csp) as unknown as Agreement;
    const isRight =
      agreement.taskId === id &&
      task.id === id &&
      agreement.taskDigest === digest('task', task) &&
      task.csp === thumbprint(csp) &&
      task.dataUser === thumbprint(agreement.dataUserKey) &&
      bits(integerOf(Buffer.from(agreement.publicKey.n, 'base64url'))) === task.keyBits;
    if (!isRight) throw new Error('another task');
    return { task, agreement };
  }

  /** Contributes rows, and returns the claims of the receipt. */
  async contribute(
    dataUser: string,
    { task, agreement }: { task: Task; agreement: Agreement },
    rows: readonly (readonly number[])[],
  ): Promise<Json> {
    const n = integerOf(Buffer.from(agreement.publicKey.n, 'base64url'));
    const plaintexts = packed(task, sumsOf(task, rows), n);
    const bytes = Buffer.concat(plaintexts.map((plaintext) => encrypted(plaintext, n)));
    const record = this.#signed('eigenveil-record+jws', {
      taskId: task.id,
      taskDigest: agreement.taskDigest,
      publicKeyDigest: digest('paillier public key', agreement.publicKey),
      ownerId: this.ownerId,
      contributionDigest: digest('contribution', bytes),
    });
    const url = `${dataUser}/tasks/${task.id}/contribution`;
    const { receipt } = await this.#ask('PUT', url, bytes, { 'eigenveil-record': record });
    return verified(receipt as string, 'eigenveil-receipt+jws', agreement.dataUserKey);
  }

  async result(dataUser: string, id: string) {
    return (await this.#ask('GET', `${dataUser}/tasks/${id}/projection`)) as {
      projection: string;
      provenance: {
        statement: string;
        countersignature: string;
        salt: string;
        inclusion: { index: number; path: string[] };
      };
    };
  }
}
