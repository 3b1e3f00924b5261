/** The data user's end of the secret products of a run: keys, what depends on no data first, proofs of it, answers. */
import { createHash } from 'node:crypto';
import type { MessageStream } from '../channel/message-stream.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Matrix } from '../rotated/matrices.ts';
import { answerBytes, decrypted, messageOf } from './answers.ts';
import { answersOf, ciphertextsOf, contextOf, LATTICE_MESSAGE, publicsOf, ringsOf } from './messages.ts';
import { resultPlaces } from './packing.ts';
import { type Claim, prove, type Witness } from './proof.ts';
import type { Ring, Small } from './ring.ts';
import { drawError, drawSecret, insideLanes, type Lanes, type Secret, sampleOf } from './samples.ts';
import type { Degree } from './security.ts';
import type { KeySize, LatticePlan, SizedProduct } from './sizes.ts';
import { outsideOf } from './words.ts';

/** A factor of the data user for a product, by the product's number in the plan. */
export interface UserFactor {
  readonly product: number;
  readonly factor: Matrix;
}

/** Moments of multiply() at which a caller has something to do. */
export interface Moments {
  /** All that this end sends is handed over, and the CSP is at work. */
  readonly onSent?: () => void;
  /** The last answer has come, and nothing has been made of it. */
  readonly onLast?: () => void;
}

interface Key extends Secret {
  readonly error: Small;
}

interface Sample {
  readonly error: Small;
  /** Class 0 before its message is added. */
  readonly inside: Lanes;
}

export class LatticeDataUser {
  readonly #stream: MessageStream;
  readonly #plan: LatticePlan;
  readonly #draw: (purpose: string) => RandomSource;
  readonly #onWork: (products: number) => void;
  readonly #rings: ReadonlyMap<Degree, Ring>;
  readonly #publics: ReturnType<typeof publicsOf>;
  readonly #keys: Key[] = [];
  readonly #samples: Sample[][] = [];
  readonly #context = createHash('sha256');
  #proved = false;

  private constructor(
    stream: MessageStream,
    plan: LatticePlan,
    seed: Uint8Array,
    draw: (purpose: string) => RandomSource,
    onWork: (products: number) => void,
    rings: ReadonlyMap<Degree, Ring>,
  ) {
    this.#stream = stream;
    this.#plan = plan;
    this.#draw = draw;
    this.#onWork = onWork;
    this.#rings = rings;
    this.#publics = publicsOf(plan, rings, seed);
    this.#context.update(seed);
  }

  /**
   * Draws all secrets and sends all that depends on no data.
   * @param seed both nonces and what the run is of, hashed: public polynomials follow from it
   * @param draw streams of a secret seed and both nonces, each purpose once
   * @param onWork is called for each product of polynomials
   * @param made rings of the plan
   * @throws the errors of the stream
   */
  static async open(
    stream: MessageStream,
    plan: LatticePlan,
    seed: Uint8Array,
    draw: (purpose: string) => RandomSource,
    onWork: (products: number) => void = () => {},
    rings = ringsOf(plan),
  ): Promise<LatticeDataUser> {
    const dataUser = new LatticeDataUser(stream, plan, seed, draw, onWork, rings);
    for (const [k, key] of plan.keys.entries()) await dataUser.#sendKey(k, key);
    for (const [i, product] of plan.products.entries()) await dataUser.#sendSamples(i, product);
    return dataUser;
  }

  async #sendKey(k: number, size: KeySize): Promise<void> {
    const ring = this.#ringOf(size);
    const random = this.#draw(`key ${k}`);
    const secret = drawSecret(ring, random);
    const error = drawError(ring, random);
    ring.scope(() => {
      const sent = sampleOf(ring, this.#publics.keys.get(size.degree)!, secret, error);
      this.#send(LATTICE_MESSAGE.key, ring.bytes(sent));
    });
    this.#keys.push({ ...secret, error });
    await this.#stream.departWithRoom();
  }

  /**
   * Returns this end's shares of some products, or what they open, as rows of numbers in [0, 2^ringBits). What an
   * upper triangle leaves out is 0.
   * @throws ERR_CHANNEL_MESSAGE, and the errors of the stream
   */
  async multiply(asked: readonly UserFactor[], { onSent, onLast }: Moments = {}): Promise<bigint[][][]> {
    const messages = asked.flatMap(({ product: i, factor }) => this.#messages(i, factor));
    // Other factors behind the same masks would show how they differ, also where another machine's doubles made them.
    const fixed = createHash('sha256');
    for (const message of messages) fixed.update(message);
    this.#stream.fix(fixed.digest());
    for (const message of messages) this.#stream.write(LATTICE_MESSAGE.inside, message);
    await this.#stream.flush();
    if (!this.#proved) await this.#prove();
    onSent?.();
    const results: bigint[][][] = [];
    for (const [place, { product: i }] of asked.entries()) {
      const isLast = place === asked.length - 1;
      results.push(await this.#received(i, isLast ? onLast : undefined));
    }
    return results;
  }

  #messages(i: number, factor: Matrix): Uint8Array[] {
    const product = this.#plan.products[i]!;
    const ring = this.#ringOf(product);
    return [...ciphertextsOf(product.packing)].map(({ block, ciphertext }, k) =>
      messageOf(ring, product, this.#samples[i]![k]!.inside, factor, block, ciphertext),
    );
  }

  async #received(i: number, onLast: (() => void) | undefined): Promise<bigint[][]> {
    const product = this.#plan.products[i]!;
    const { rows, columns, packing } = product;
    const ring = this.#ringOf(product);
    const secret = this.#keys[this.#plan.keyOf[i]!]!;
    const result = Array.from({ length: rows }, () => new Array<bigint>(columns).fill(0n));
    const answers = [...answersOf(packing)];
    for (const [place, at] of answers.entries()) {
      const length = answerBytes(product, resultPlaces(packing, at.block, at.answer).length);
      const bytes = await this.#stream.readAgain(LATTICE_MESSAGE.answer, length);
      if (place === answers.length - 1) onLast?.();
      const { places, values } = decrypted(ring, product, secret, at, bytes);
      for (const [e, { row, column }] of places.entries()) result[row]![column] = values[e]!;
      this.#onWork(1);
    }
    return result;
  }

  async #sendSamples(i: number, product: SizedProduct): Promise<void> {
    const ring = this.#ringOf(product);
    const { classes } = product.packing;
    const secret = this.#keys[this.#plan.keyOf[i]!]!;
    const random = this.#draw(`product ${i}`);
    const samples: Sample[] = [];
    this.#samples.push(samples);
    for (const a of this.#publics.products[i]!) {
      const error = drawError(ring, random);
      const inside = ring.scope(() => {
        const sent = sampleOf(ring, a, secret, error);
        this.#send(LATTICE_MESSAGE.outside, ring.bytes(sent, ring.limbs, outsideOf(ring.degree, classes)));
        return insideLanes(ring, sent, classes);
      });
      samples.push({ error, inside });
      await this.#stream.departWithRoom();
      this.#onWork(1);
    }
  }

  /**
   * Proves that all keys and ciphertexts are well formed: nothing is opened before. The proofs leave while answers are read: the CSP
   * takes them once it has sent these.
   */
  async #prove(): Promise<void> {
    this.#proved = true;
    const digest = this.#context.digest();
    for (const [number, statement] of this.#plan.statements.entries()) {
      const [first] = statement.products;
      const ring = this.#ringOf(this.#plan.products[first!]!);
      const keys = statement.products.map((product) => this.#keys[this.#plan.keyOf[product]!]!);
      const samples = statement.products.map((product) => this.#samples[product]!);
      const claim: Claim = {
        statement,
        publics: [this.#publics.keys.get(ring.degree)!, ...this.#publics.products[first!]!],
        context: contextOf(digest, statement, number),
      };
      const witnesses = keys.map(
        (key, p): Witness => ({
          secret: key.small,
          errors: [key.error, ...samples[p]!.map(({ error }) => error)],
        }),
      );
      const proof = prove(ring, claim, witnesses, (attempt) => this.#draw(`proof ${number} ${attempt}`));
      this.#stream.write(LATTICE_MESSAGE.proof, proof);
      // The CSP verifies one while the next is made; it may wait for room for its answers, which this end reads only then.
      await this.#stream.depart();
    }
  }

  #send(type: number, bytes: Uint8Array): void {
    this.#context.update(bytes);
    this.#stream.write(type, bytes);
  }

  #ringOf({ degree, up }: KeySize): Ring {
    return this.#rings.get(degree)!.prefix(up);
  }
}
