/** The CSP's end of the secret products of a run: it answers what came, and verifies the proofs of form before it opens anything. */
import { createHash } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Matrix } from '../rotated/matrices.ts';
import { addMessage, answerOf, factorResidues, type Opening, type Received } from './answers.ts';
import { answersOf, ciphertextsOf, contextOf, LATTICE_MESSAGE, publicsOf, ringsOf } from './messages.ts';
import type { Place } from './packing.ts';
import { type Claim, verify } from './proof.ts';
import type { Polynomial, Ring } from './ring.ts';
import type { Degree } from './security.ts';
import { type KeySize, type LatticePlan, proofBytes } from './sizes.ts';
import { countOf, firstWords, insideOf, outsideOf, type Words, wordBytes } from './words.ts';

/** A matrix that the CSP makes of its shares of the products before in the same call. */
export type Made = (before: readonly Matrix[]) => Matrix;

/** A factor of the CSP for a product, by the product's number in the plan. */
export interface CspFactor {
  readonly product: number;
  readonly factor: Made;
  /** The CSP's share of the other factor, in [0, 2^ringBits), where it has one. */
  readonly plus?: Matrix;
  /** Its own share and a mask, in units of the ring: with it the data user learns the result. */
  readonly under?: Made;
}

export class LatticeCsp {
  readonly #stream: MessageStream;
  readonly #plan: LatticePlan;
  readonly #draw: (purpose: string) => RandomSource;
  readonly #rings: ReadonlyMap<Degree, Ring>;
  readonly #publics: ReturnType<typeof publicsOf>;
  /** Coefficients as they came. */
  readonly #keys: Polynomial[] = [];
  readonly #ciphertexts: Polynomial[][] = [];
  /** All that came: what this end draws for an answer follows from it. */
  readonly #received = createHash('sha256');
  /** The digest of what depends on no data, which proofs are about. */
  #material: Uint8Array | undefined;
  #verified = false;

  /** @param draw streams of a secret seed, each purpose once; seed and plan are those of the data user */
  private constructor(
    stream: MessageStream,
    plan: LatticePlan,
    seed: Uint8Array,
    draw: (purpose: string) => RandomSource,
  ) {
    this.#stream = stream;
    this.#plan = plan;
    this.#draw = draw;
    this.#rings = ringsOf(plan);
    this.#publics = publicsOf(plan, this.#rings, seed);
    this.#received.update(seed);
  }

  /**
   * Reads all that depends on no data.
   * @throws ERR_CHANNEL_MESSAGE, and the errors of the stream
   */
  static async receive(
    stream: MessageStream,
    plan: LatticePlan,
    seed: Uint8Array,
    draw: (purpose: string) => RandomSource,
  ): Promise<LatticeCsp> {
    const csp = new LatticeCsp(stream, plan, seed, draw);
    await csp.#receive();
    return csp;
  }

  async #receive(): Promise<void> {
    for (const size of this.#plan.keys) {
      const ring = this.#ringOf(size);
      const key = ring.polynomial();
      await this.#fill(ring, key, LATTICE_MESSAGE.key, firstWords(ring.degree));
      this.#keys.push(key);
    }
    for (const [i, product] of this.#plan.products.entries()) {
      const ring = this.#ringOf(product);
      const { classes } = product.packing;
      this.#ciphertexts[i] = [];
      for (const _ of ciphertextsOf(product.packing)) {
        const sent = ring.polynomial();
        await this.#fill(ring, sent, LATTICE_MESSAGE.outside, outsideOf(ring.degree, classes));
        this.#ciphertexts[i].push(sent);
      }
    }
    this.#material = this.#received.copy().digest();
  }

  /**
   * Answers some products, in the order in which the data user has them. Returns this end's shares, in
   * [0, 2^ringBits); of what is opened, nothing.
   * @param beforeOpening is awaited before an answer that opens anything
   * @throws ERR_CHANNEL_MESSAGE, also when a proof of form does not hold, before anything is opened, and the errors of the stream
   */
  async answer(
    asked: readonly CspFactor[],
    beforeOpening: () => Promise<void> = async () => {},
  ): Promise<bigint[][][]> {
    for (const { product } of asked) await this.#complete(product);
    if (asked.some(({ under }) => under !== undefined)) {
      // A result that stays shared may leave before: a share that is uniform modulo q hides it.
      await this.#verify();
      await beforeOpening();
    }
    const seed = this.#received.copy().digest('hex');
    const results: bigint[][][] = [];
    for (const one of asked) {
      const [factor, under] = [one.factor(results), one.under?.(results)];
      const opening = under && (({ row, column }: Place) => under[row]![column]!);
      const random = this.#draw(`answer ${one.product} ${seed}`);
      results.push(await this.#answered(one, factor, opening, random));
    }
    await this.#verify(); // while the data user goes on
    return results;
  }

  /** Reads class 0 of a product's ciphertexts. */
  async #complete(i: number): Promise<void> {
    const product = this.#plan.products[i]!;
    const ring = this.#ringOf(product);
    const { classes } = product.packing;
    for (const sent of this.#ciphertexts[i]!)
      await this.#fill(ring, sent, LATTICE_MESSAGE.inside, insideOf(ring.degree, classes));
  }

  async #answered(
    { product: i, plus }: CspFactor,
    factor: Matrix,
    opening: Opening | undefined,
    random: RandomSource,
  ): Promise<bigint[][]> {
    const product = this.#plan.products[i]!;
    const { packing, rows, columns } = product;
    const ring = this.#ringOf(product);
    const shares = Array.from({ length: rows }, () => new Array<bigint>(columns).fill(0n));
    const residues = factorResidues(ring, product, factor);
    await ring.scopeOf(async () => {
      const key = {
        a: this.#publics.keys.get(ring.degree)!,
        b: ring.copy(this.#keys[this.#plan.keyOf[i]!]!),
      };
      ring.forward(key.b);
      const places = [...ciphertextsOf(packing)];
      const ciphertexts = this.#publics.products[i]!.map((a, k) => {
        const { block, ciphertext } = places[k]!;
        const b = ring.copy(this.#ciphertexts[i]![k]!);
        if (plus) addMessage(ring, product, b, plus, block, ciphertext);
        ring.forward(b);
        return { a, b };
      });
      for (const at of answersOf(packing)) {
        const from = at.block * packing.ciphertexts;
        const received: Received = { key, ciphertexts: ciphertexts.slice(from, from + packing.ciphertexts) };
        const made = answerOf(ring, product, residues, received, at, random, opening);
        this.#stream.write(LATTICE_MESSAGE.answer, made.bytes);
        await this.#stream.departWithRoom(); // the data user reads one while the next is made
        for (const [e, share] of made.shares.entries()) {
          const { row, column } = made.places[e]!;
          shares[row]![column] = share;
        }
      }
    });
    return shares;
  }

  /** Reads and verifies the proofs, once. Whether they hold depends on messages alone, so that the other end may hear of it. */
  async #verify(): Promise<void> {
    if (this.#verified) return;
    const digest = this.#material!;
    for (const [number, statement] of this.#plan.statements.entries()) {
      const [first] = statement.products;
      const ring = this.#ringOf(this.#plan.products[first!]!);
      const claim: Claim = {
        statement,
        publics: [this.#publics.keys.get(ring.degree)!, ...this.#publics.products[first!]!],
        context: contextOf(digest, statement, number),
      };
      const sent = statement.products.map((product) => [
        this.#keys[this.#plan.keyOf[product]!]!,
        ...this.#ciphertexts[product]!,
      ]);
      const proof = await this.#read(LATTICE_MESSAGE.proof, proofBytes(statement));
      if (!verify(ring, claim, sent, proof)) {
        throw new CodedError(
          TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
          '"proof" expected that of keys and ciphertexts which are well formed',
        );
      }
    }
    this.#verified = true;
  }

  /** Reads words of a polynomial. */
  async #fill(ring: Ring, polynomial: Polynomial, type: number, words: Words): Promise<void> {
    const bytes = await this.#read(type, wordBytes(countOf(words)) * ring.limbs);
    ring.read(polynomial, bytes, ring.limbs, words);
  }

  /** The payload of the next message, valid until the one after it. */
  async #read(type: number, length: number): Promise<Uint8Array> {
    const bytes = await this.#stream.readAgain(type, length);
    this.#received.update(bytes);
    return bytes;
  }

  #ringOf({ degree, up }: KeySize): Ring {
    return this.#rings.get(degree)!.prefix(up);
  }
}
