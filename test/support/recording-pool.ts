/** A Paillier pool that does its work and keeps what went in and came out, to see what the servers saw. */
import {
  type Ciphertext,
  type EncryptionScheme,
  type GenerateKeyOptions,
  type Packing,
  type Plaintext,
  type PublicKey,
  type SecretKey,
  unpackBlinded,
} from '@eigenveil/paillier';
import { KeptKeys } from './pool.ts';

interface Encryption {
  readonly n: bigint;
  readonly scheme: EncryptionScheme;
  readonly plaintexts: readonly bigint[];
}

interface Decryption {
  readonly n: bigint;
  readonly ciphertexts: readonly bigint[];
  readonly plaintexts: readonly bigint[];
}

interface Aggregation {
  readonly n: bigint;
  readonly aggregate: readonly bigint[];
}

/** Every task has a Paillier key of its own, so its modulus n tells what belongs to which task. */
export class RecordingPool extends KeptKeys {
  readonly keys: SecretKey[] = [];
  readonly encryptions: Encryption[] = [];
  readonly decryptions: Decryption[] = [];
  /** What aggregate returned; only the last one of a task is the sum over all contributions. */
  readonly aggregations: Aggregation[] = [];
  readonly #received = new Map<bigint, Map<string, Uint8Array>>();

  /** The distinct encoded contributions that were checked, or unblinding requests that were decoded, under a key. */
  received(n: bigint): Uint8Array[] {
    return [...(this.#received.get(n)?.values() ?? [])];
  }

  override async generateKeyPair(options: GenerateKeyOptions): Promise<SecretKey> {
    const key = await super.generateKeyPair(options);
    this.keys.push(key);
    return key;
  }

  override async encrypt(
    publicKey: PublicKey,
    plaintexts: readonly bigint[],
    scheme: EncryptionScheme,
  ): Promise<Ciphertext[]> {
    this.encryptions.push({ n: publicKey.n, scheme, plaintexts: [...plaintexts] });
    return super.encrypt(publicKey, plaintexts, scheme);
  }

  override async decrypt(secretKey: SecretKey, ciphertexts: readonly Ciphertext[]): Promise<Plaintext[]> {
    const plaintexts = await super.decrypt(secretKey, ciphertexts);
    this.decryptions.push({ n: secretKey.publicKey.n, ciphertexts: [...ciphertexts], plaintexts });
    return plaintexts;
  }

  override async decode(publicKey: PublicKey, bytes: Uint8Array, count: number): Promise<Ciphertext[]> {
    this.#receive(publicKey, bytes);
    return super.decode(publicKey, bytes, count);
  }

  override async check(publicKey: PublicKey, bytes: Uint8Array, count: number): Promise<void> {
    this.#receive(publicKey, bytes);
    return super.check(publicKey, bytes, count);
  }

  override async aggregate(
    publicKey: PublicKey,
    aggregate: readonly Ciphertext[],
    contributions: readonly Uint8Array[],
  ): Promise<Ciphertext[]> {
    const sum = await super.aggregate(publicKey, aggregate, contributions);
    this.aggregations.push({ n: publicKey.n, aggregate: sum });
    return sum;
  }

  #receive({ n }: PublicKey, bytes: Uint8Array): void {
    const known = this.#received.get(n) ?? new Map<string, Uint8Array>();
    this.#received.set(n, known.set(Buffer.from(bytes).toString('base64'), Uint8Array.from(bytes)));
  }
}

/** Per value what the CSP read from its slot, and the blinding value that the data user put there. */
export interface Unblinding {
  readonly slots: readonly bigint[];
  readonly blinding: readonly bigint[];
}

export interface Pools {
  readonly csp: RecordingPool;
  readonly dataUser: RecordingPool;
}

/** The one unblinding of the task whose key has the modulus n. Throws unless either server did its part exactly once. */
export function unblindingOf(n: bigint, packing: Packing, { csp, dataUser }: Pools): Unblinding {
  const decryption = only(csp.decryptions.filter((record) => record.n === n));
  const encryption = only(dataUser.encryptions.filter((record) => record.n === n));
  return {
    slots: unpackBlinded(packing, decryption.plaintexts),
    blinding: unpackBlinded(packing, encryption.plaintexts),
  };
}

export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) throw new Error(`expected exactly one, got ${list.length}`);
  return list[0]!;
}
