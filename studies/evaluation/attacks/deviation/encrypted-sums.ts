/** The things that a data user can do to encrypted sums: it holds the public key, weighs contributions, and adds what it likes. Every step beside is the real one. */
import { type Ciphertext, PaillierPool, type Plaintext, type SecretKey } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { blind, draw, sharesAtDataUser, unblind } from '@eigenveil/protocol/servers';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { combine } from '@eigenveil/two-party/insides';
import { modPow } from 'bigint-crypto-utils';
import type { Shares } from '../in-process/two-party.ts';

/** The outcome of an unblinding: both servers' shares, the noise that the data user knows to be its own, and what the shares add up to. */
interface Unblinded {
  readonly shares: Shares;
  readonly ownNoise: readonly bigint[];
  readonly values: readonly bigint[];
}

export class EncryptedSums implements AsyncDisposable {
  readonly #paillier = new PaillierPool({ threads: 0 });
  readonly #key: SecretKey;

  static async start(): Promise<EncryptedSums> {
    const paillier = new PaillierPool({ threads: 0 });
    try {
      return new EncryptedSums(
        await paillier.generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true }),
      );
    } finally {
      await paillier.close();
    }
  }

  private constructor(key: SecretKey) {
    this.#key = key;
  }

  get n(): bigint {
    return this.#key.publicKey.n;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#paillier.close();
  }

  /** An owner's contribution, as it comes to the data user. */
  async contribution(task: Task, statistics: Statistics): Promise<Ciphertext[]> {
    const bytes = await contribute(this.#under(task), flatten(task, statistics), this.#by);
    return this.#decode(task, bytes);
  }

  /** Homomorphically: the sum of contributions, each as often as its weight says, and of plaintexts. */
  async weighted(
    contributions: readonly (readonly Ciphertext[])[],
    weights: readonly bigint[],
    more: readonly bigint[],
  ): Promise<Ciphertext[]> {
    const { nSquared } = this.#key.publicKey;
    const scaled = await Promise.all(
      contributions.map((own, owner) =>
        this.weightedEach(
          own,
          own.map(() => weights[owner]!),
          owner === 0 ? more : own.map(() => 0n),
        ),
      ),
    );
    return scaled.reduce((product, own) =>
      product.map((ciphertext, i) => ((ciphertext * own[i]!) % nSquared) as Ciphertext),
    );
  }

  /** Adds one contribution, each plaintext of which has a weight of its own. */
  async weightedEach(
    contribution: readonly Ciphertext[],
    weights: readonly bigint[],
    more: readonly bigint[],
  ): Promise<Ciphertext[]> {
    const { n, nSquared } = this.#key.publicKey;
    const inRange = (x: bigint) => ((x % n) + n) % n;
    const plaintexts = more.map((x) => inRange(x) as Plaintext);
    const added = await this.#paillier.encrypt(this.#key.publicKey, plaintexts, 'standard');
    return added.map(
      (ciphertext, i) =>
        ((modPow(contribution[i]!, inRange(weights[i]!), nSquared) * ciphertext) % nSquared) as Ciphertext,
    );
  }

  /** The rest of the protocol, up to both servers' shares. @throws ERR_PACKING_OVERFLOW */
  async unblinded(task: Task, aggregate: readonly Ciphertext[]): Promise<Unblinded> {
    const under = this.#under(task);
    const drawn = draw(under, systemRandomness);
    const blinded = await blind(under, aggregate, drawn, this.#paillier);
    const csp = [...(await unblind(under, await this.#decode(task, blinded), this.#by))];
    const dataUser = [...sharesAtDataUser(task, drawn)];
    const values = combine(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), csp, dataUser);
    return { shares: { csp, dataUser }, ownNoise: [...drawn.noise], values };
  }

  /** One number per plaintext, from one per value, as owners pack them. */
  packed(task: Task, values: readonly bigint[]): bigint[] {
    return Array.from(layout(task).plaintexts, (slots) =>
      slots.reduce((sum, { value, offset }) => sum + (values[value]! << BigInt(offset)), 0n),
    );
  }

  get #by() {
    return { paillier: this.#paillier, randomness: systemRandomness };
  }

  #under(task: Task) {
    return { task, publicKey: this.#key.publicKey, secretKey: this.#key, packing: layout(task) };
  }

  #decode(task: Task, bytes: Uint8Array): Promise<Ciphertext[]> {
    return this.#paillier.decode(this.#key.publicKey, bytes, layout(task).plaintexts.length);
  }
}
