/** An owner's client that was written by docs/spec alone, with nothing of Eigenveil: it says whether these pages are enough. */
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
  readonly method: { readonly kind: string };
  readonly sketch?: { readonly columns: number };
  readonly basis?: string;
  readonly exact: boolean;
  readonly releases: number;
  readonly encryption: string;
  readonly keyBits: number;
  readonly fractionBits: number;
  readonly statisticalSecurityBits: number;
  readonly maximumOwners: number;
  readonly maximumSamplesPerOwner: number;
  readonly features: readonly { readonly min: number; readonly max: number }[];
  readonly labellings: readonly { readonly classes: readonly string[] }[];
}
interface Agreement {
  readonly taskId: string;
  readonly taskDigest: string;
  readonly publicKey: { readonly n: string; readonly h?: string };
  readonly dataUserKey: Jwk;
}
interface Opened {
  readonly task: Task;
  readonly agreement: Agreement;
}
/** Values in the task's units, and for each labelling the index of the row's class. */
interface Rows {
  readonly values: readonly (readonly number[])[];
  readonly classes: readonly (readonly number[])[];
}
/** A sum of the owner's rows, and the most that it may be over all owners. */
interface Sum {
  readonly value: bigint;
  readonly bound: bigint;
}
/** A contribution as it is kept before it is sent. */
export interface Prepared {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly record: string;
}
/** A task as the data user gives it, with what the CSP has signed about it. */
interface Signed {
  readonly task: Task;
  readonly agreement: string;
}
/** An earlier result that a task stands on. */
interface Link extends Signed {
  readonly projection: string;
  readonly provenance: { readonly countersignature: string; readonly salt: string };
}
/** How much of a contribution in pieces is there. */
interface Pieces {
  readonly contributionDigest: string | null;
  readonly pieces: number;
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

/** Ω of a sketch that refines no result, row by row. */
function signsOf(agreement: Agreement, count: number): readonly bigint[] {
  const seed = Buffer.from(digest('sketch', agreement), 'base64url');
  const domain = Buffer.from('eigenveil sketch signs 1\0');
  const blocks = Array.from({ length: Math.ceil(count / 256) }, (_, n) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(n);
    return [
      ...createHash('sha256')
        .update(Buffer.concat([domain, seed, number]))
        .digest(),
    ];
  });
  const signs = blocks
    .flat()
    .flatMap((byte) => Array.from({ length: 8 }, (_, bit) => 1 - 2 * ((byte >> bit) & 1)));
  return signs.slice(0, count).map(BigInt);
}

/** Rows as integers. */
function cellsOf({ features, fractionBits }: Task, values: Rows['values']): bigint[][] {
  return values.map((row) =>
    row.map((cell, i) => {
      const { min, max } = features[i]!;
      const x = Math.min(max, Math.max(min, cell));
      const scaled = (2 ** fractionBits * (x - min - (max - x))) / (max - min);
      return BigInt(Math.sign(scaled) * Math.round(Math.abs(scaled)));
    }),
  );
}

/** Returns the task with the claims of its agreement, if the CSP has signed that for this very task. */
function agreed(signed: Signed, csp: Jwk): Opened {
  const { task } = signed;
  const agreement = verified(signed.agreement, 'eigenveil-agreement+jws', csp) as unknown as Agreement;
  const isRight =
    agreement.taskId === task.id &&
    agreement.taskDigest === digest('task', task) &&
    task.csp === thumbprint(csp) &&
    task.dataUser === thumbprint(agreement.dataUserKey) &&
    bits(integerOf(Buffer.from(agreement.publicKey.n, 'base64url'))) === task.keyBits;
  if (!isRight) throw new Error('another task');
  return { task, agreement };
}

/** The sums of all methods except histograms, without noise of owners: the caller's rows are as fine as the task says. */
function sumsOf({ task, agreement }: Opened, { values, classes }: Rows): Sum[] {
  const { features, fractionBits, labellings, method, sketch } = task;
  const d = features.length;
  const unit = 2 ** fractionBits;
  const cells = cellsOf(task, values);
  const u = BigInt(unit);
  const owners = BigInt(task.maximumOwners);
  const Q = owners * BigInt(task.maximumSamplesPerOwner);
  const K = BigInt(Math.max(1, ...labellings.map((labelling) => labelling.classes.length)));
  const G = 16.5 * Math.SQRT2 * Math.sqrt(task.releases) * unit ** 2;
  const room = (own: number) => (task.exact ? 0n : owners * BigInt(Math.ceil(own)));
  const bounded = (bound: bigint) => (value: bigint) => ({ value, bound });

  const sum = (of: (row: readonly bigint[]) => bigint, rows = cells) =>
    rows.reduce((total, row) => total + of(row), 0n);
  const products: Sum[] = [];
  if (sketch !== undefined) {
    const l = sketch.columns;
    const signs = signsOf(agreement, d * l);
    const turned = cells.map((row) =>
      Array.from({ length: l }, (_, a) => row.reduce((total, x, i) => total + x * signs[i * l + a]!, 0n)),
    );
    const bound = bounded(BigInt(d) * u * u * Q + room((G * d) / Math.sqrt(d)));
    for (let i = 0; i < d; i += 1)
      for (let a = 0; a < l; a += 1)
        products.push(bound(cells.reduce((total, row, k) => total + row[i]! * turned[k]![a]!, 0n)));
  } else if (method.kind !== 'mdr') {
    const bound = bounded(u * u * Q + room(G));
    for (let i = 0; i < d; i += 1)
      for (let j = i; j < d; j += 1) products.push(bound(sum((row) => row[i]! * row[j]!)));
  }
  const ofClass = (rows: bigint[][]): Sum[] => [
    ...features
      .map((_, i) => sum((row) => row[i]!, rows))
      .map(bounded(u * Q + K * room(8.25 * Math.sqrt(task.releases) * unit))),
    { value: BigInt(rows.length), bound: Q },
  ];
  const ofClasses = labellings.flatMap((labelling, l) =>
    labelling.classes.flatMap((_, k) => ofClass(cells.filter((__, row) => classes[row]![l] === k))),
  );
  return [
    ...products,
    ...(labellings.length === 0 ? ofClass(cells) : ofClasses),
    { value: 1n, bound: owners },
  ];
}

/** The plaintexts of these sums. */
function packed(task: Task, sums: readonly Sum[], n: bigint): bigint[] {
  const more = task.statisticalSecurityBits + Math.ceil(Math.log2(sums.length)) + 1;
  const slots = sums.map(({ value, bound }) => ({ value, width: bits(bound) + 1 + more }));
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

/** Returns what multiplies a plaintext's factor in a ciphertext: r^n, or h^a where the task allows that. */
function randomiser({ task, agreement }: Opened, n: bigint): () => bigint {
  const square = n * n;
  const { h } = agreement.publicKey;
  if (task.encryption !== 'djn' || h === undefined)
    return () => power(positive(integerOf(randomBytes(bits(n) / 8 + 16)), n), n, square);
  // A table of powers for each byte of a, which makes thousands of ciphertexts in a second or two.
  const tables: bigint[][] = [];
  let step = integerOf(Buffer.from(h, 'base64url'));
  for (let byte = 0; byte < bits(n) / 16; byte += 1) {
    const table = [1n];
    for (let k = 0; k < 256; k += 1) table.push((table[k]! * step) % square);
    step = table.pop()!;
    tables.push(table);
  }
  return () => {
    const a = randomBytes(tables.length);
    return tables.reduce((product, table, byte) => (product * table[a[byte]!]!) % square, 1n);
  };
}

function encrypted(opened: Opened, plaintexts: readonly bigint[], n: bigint): Buffer {
  const square = n * n;
  const next = randomiser(opened, n);
  const bytes = 2 * Math.ceil(bits(n) / 8);
  return Buffer.concat(
    plaintexts.map((plaintext) => {
      const c = ((1n + plaintext * n) * next()) % square;
      return Buffer.from(c.toString(16).padStart(2 * bytes, '0'), 'hex');
    }),
  );
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
    // A connection of its own: one that is kept would be closed while thousands of ciphertexts are made.
    const outgoing = request(url, { method, headers, ca: this.#ca, agent: false }, (incoming) => {
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
  async open(dataUser: string, id: string, csp: Jwk): Promise<Opened> {
    const signed = (await this.#ask('GET', `${dataUser}/tasks/${id}`)) as unknown as Signed;
    if (signed.task.id !== id) throw new Error('another task');
    return agreed(signed, csp);
  }

  /** Reduces rows by the results that a task stands on, and returns the cells of its features. */
  async reduced(dataUser: string, { task }: Opened, csp: Jwk, { values, classes }: Rows): Promise<Rows> {
    const answer = await this.#ask('GET', `${dataUser}/tasks/${task.id}/basis`);
    let rows = values;
    let named: string | undefined;
    for (const link of answer.basis as Link[]) {
      const { task: earlier, agreement } = agreed(link, csp);
      const result = verified(link.projection, 'eigenveil-projection+jws', agreement.dataUserKey);
      const isNext = earlier.basis === named && result.taskDigest === agreement.taskDigest;
      const salt = Buffer.from(link.provenance.salt, 'base64url');
      named = digest('projection', Buffer.concat([salt, Buffer.from(link.projection)]));
      const { countersignature } = link.provenance;
      const countersigned = verified(countersignature, 'eigenveil-countersignature+jws', csp);
      if (!isNext || countersigned.projectionDigest !== named) throw new Error('another link');
      const { vectors, mean = [] } = result as { vectors: number[][]; mean?: number[] };
      rows = cellsOf(earlier, rows).map((x) =>
        vectors.map((w) =>
          w.reduce(
            (sum, entry, i) => sum + entry * (Number(x[i]!) / 2 ** earlier.fractionBits - (mean[i] ?? 0)),
            0,
          ),
        ),
      );
    }
    if (named !== task.basis) throw new Error('another basis');
    return { values: rows, classes };
  }

  prepare(opened: Opened, rows: Rows): Prepared {
    const { task, agreement } = opened;
    const n = integerOf(Buffer.from(agreement.publicKey.n, 'base64url'));
    const bytes = encrypted(opened, packed(task, sumsOf(opened, rows), n), n);
    const contributionDigest = digest('contribution', bytes);
    const record = this.#signed('eigenveil-record+jws', {
      taskId: task.id,
      taskDigest: agreement.taskDigest,
      publicKeyDigest: digest('paillier public key', agreement.publicKey),
      ownerId: this.ownerId,
      contributionDigest,
    });
    return { bytes, digest: contributionDigest, record };
  }

  /** Hands in what is prepared, and returns the claims of the receipt. */
  async send(dataUser: string, opened: Opened, prepared: Prepared): Promise<Json> {
    const { task, agreement } = opened;
    const isLong = prepared.bytes.length > 2 ** 20;
    if (isLong) await this.sendPieces(dataUser, opened, prepared);
    const url = `${dataUser}/tasks/${task.id}/contribution`;
    const body = isLong ? Buffer.alloc(0) : prepared.bytes;
    const { receipt } = await this.#ask('PUT', url, body, { 'eigenveil-record': prepared.record });
    return verified(receipt as string, 'eigenveil-receipt+jws', agreement.dataUserKey);
  }

  /** Hands in the pieces that are not there yet, at most a number of them, and returns how many are there then. */
  async sendPieces(dataUser: string, { task }: Opened, { bytes, digest, record }: Prepared, most = Infinity) {
    const ciphertext = 2 * Math.ceil(task.keyBits / 8);
    const length = Math.floor(2 ** 19 / ciphertext) * ciphertext;
    const url = `${dataUser}/tasks/${task.id}/contribution/pieces`;
    let there = (await this.#ask('GET', url)) as unknown as Pieces;
    const first = there.contributionDigest === digest ? there.pieces : 0;
    const all = Math.ceil(bytes.length / length);
    for (let number = first; number < Math.min(all, first + most); number += 1) {
      const piece = bytes.subarray(number * length, (number + 1) * length);
      const headers = { 'eigenveil-record': record };
      there = (await this.#ask('PUT', `${url}/${number}`, piece, headers)) as unknown as Pieces;
    }
    return { ...there, all };
  }

  /** Contributes rows, and returns the claims of the receipt. */
  contribute(dataUser: string, opened: Opened, rows: Rows): Promise<Json> {
    return this.send(dataUser, opened, this.prepare(opened, rows));
  }

  /** Has the CSP count an entry of a ledger, and returns what is counted then. */
  async count(csp: string, cspKey: Jwk, entry: { counter: number; digest: string; previous: string }) {
    const { counter } = await this.#ask('POST', `${csp}/owners/counter`, entry);
    return verified(counter as string, 'eigenveil-counter+jws', cspKey);
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
