/**
 * Says what secret products need and cost by their sizes: moduli, floods, proofs, bytes and work, from which planning.ts chooses.
 * docs/spec/lattice.md derives what is only stated here, by the same names.
 */
import { type Packing, resultCount, type Sides } from './packing.ts';
import { type Degree, PRIME_BITS } from './security.ts';
import { packedBytes } from './words.ts';

/** Every prime has more bits: a test holds all of them to it. */
export const LEAST_PRIME_BITS = 29.95;
/** Errors are centred binomial of 42 bits: at most 21, of this deviation. */
export const ERROR_BOUND = 21;
const ERROR_DEVIATION = Math.sqrt(10.5);
/** A sum of independent errors is below this number of its deviations, except with a probability of 2^−57. */
const DEVIATIONS = 9;
/** Uniform floods are 2^46 times wider than what they hide. */
export const HIDING_BITS = 46;
/** The soundness of a proof against one hash, in bits. */
const SOUNDNESS_BITS = 110;

/** A proof has the hash of its commitments, by SHA-256. */
export const HASH_BYTES = 32;

/** A secret product: the CSP's factor of small integers times the data user's modulo 2^ringBits. */
export interface ProductSize extends Sides {
  readonly ringBits: number;
  /** The CSP's entries are at most 2^factorBits in magnitude, its rows below 2^rowBits in Euclidean norm. */
  readonly factorBits: number;
  readonly rowBits: number;
  /** An honest result is off by less than 2^errorBits units before both ends round to a unit. */
  readonly errorBits: number;
  /** Other rows may move the result of a data user that deviates by 2^junkBits units at most; free where it is left out. */
  readonly junkBits?: number;
  /** Products of one call leave together: nothing of theirs depends on what the data user decrypts of another. */
  readonly call: number;
}

export interface SizedProduct extends ProductSize {
  readonly packing: Packing;
  readonly degree: Degree;
  /** Primes of what goes up, and of what comes down. */
  readonly up: number;
  readonly down: number;
  /** The flood on a coefficient of an answer is uniform in [0, 2^floodBits). */
  readonly floodBits: number;
}

/** A key of the data user, with a secret of its own, for products of one call that are not proved together. */
export interface KeySize {
  readonly degree: Degree;
  /** Primes of what it is sent with. */
  readonly up: number;
}

/** A proof that keys, and ciphertexts outside class 0, are short: one answer for the secrets of all of its products together. */
export interface Statement {
  /** Numbers of its products, each of which has another key; they have the same classes, primes and number of ciphertexts. */
  readonly products: readonly number[];
  readonly degree: Degree;
  readonly classes: number;
  /** Ciphertexts of each of its products. */
  readonly ciphertexts: number;
  readonly repetitions: number;
  /** Masks of answers for secrets, and for errors, are uniform integers of this number of bits, sign included. */
  readonly secretMaskBits: number;
  readonly errorMaskBits: number;
}

export interface LatticePlan {
  readonly products: readonly SizedProduct[];
  readonly keys: readonly KeySize[];
  /** The number of each product's key. */
  readonly keyOf: readonly number[];
  readonly statements: readonly Statement[];
}

/** Returns the repetitions and widths of a proof with this number of secrets, such that seven tries in ten succeed. */
export function proofSizes(degree: Degree, classes: number, ciphertexts: number, secrets: number) {
  const repetitions = Math.ceil(SOUNDNESS_BITS / Math.log2((2 * degree) / classes));
  // An answer is rejected where a mask is within the greatest shift of either end of its range.
  const bitsFor = (coefficients: number, shift: number) =>
    Math.ceil(Math.log2((repetitions * coefficients * 2 * shift) / (Math.LN2 / 4)));
  const outside = ciphertexts * (degree - degree / classes);
  return {
    repetitions,
    secretMaskBits: bitsFor(degree, secrets),
    errorMaskBits: bitsFor(degree + outside, ERROR_BOUND * secrets),
  };
}

/** Bytes of such a proof, a hash for each commitment included. */
export function proofBytes({
  degree,
  classes,
  ciphertexts,
  repetitions,
  secretMaskBits,
  errorMaskBits,
}: Pick<
  Statement,
  'degree' | 'classes' | 'ciphertexts' | 'repetitions' | 'secretMaskBits' | 'errorMaskBits'
>): number {
  const outside = degree - degree / classes;
  const errors = packedBytes(degree, errorMaskBits) + ciphertexts * packedBytes(outside, errorMaskBits);
  return HASH_BYTES + repetitions * (packedBytes(degree, secretMaskBits) + errors);
}

/** Bits of what two answers of a proof show of a secret, s̄, and of an error, ē: 2 b = −a s̄ + ē. */
export function slackOf({
  degree,
  classes,
  secretMaskBits,
  errorMaskBits,
}: Pick<Statement, 'degree' | 'classes' | 'secretMaskBits' | 'errorMaskBits'>) {
  const powers = Math.log2(degree / classes);
  return { secretBits: powers + secretMaskBits, errorBits: powers + errorMaskBits };
}

/** log₂(2^a + 2^b + …) */
function sumBits(...bits: readonly number[]): number {
  return Math.log2(bits.reduce((sum, one) => sum + 2 ** one, 0));
}

type Slack = ReturnType<typeof slackOf>;

export function floodBitsOf(degree: number, { secretBits, errorBits }: Slack, results: number): number {
  const n = Math.log2(degree);
  const hidden = sumBits(n + errorBits, n + Math.log2(ERROR_BOUND) + secretBits);
  return Math.ceil(hidden) + HIDING_BITS + Math.ceil(Math.log2(results));
}

/** log₂ of the least modulus that a product needs, up and down. */
export function modulusBits(
  size: ProductSize,
  degree: number,
  classes: number,
  slack: Slack,
  floodBits: number,
) {
  // Errors of a ciphertext, and the rounding of the CSP's own share, which it adds to that.
  const drawn = Math.sqrt(classes) * ERROR_DEVIATION * DEVIATIONS + Math.sqrt(size.inner) / 2;
  const errors = 1 + size.rowBits + Math.log2(drawn);
  const keyed = 2 + Math.log2(ERROR_BOUND * degree); // 2e′u + 2e1·s
  const honest = size.ringBits - size.errorBits + 1 + sumBits(errors, keyed, floodBits);
  const rows = Math.log2(classes - 1) + Math.log2(size.inner) / 2 + size.rowBits; // of one class there are no others
  const junk = size.junkBits === undefined ? 0 : size.ringBits - size.junkBits + rows + slack.errorBits;
  // Rescaling rounds both parts of a ciphertext.
  const rounding = Math.log2(DEVIATIONS * Math.sqrt((1 + (2 * degree) / 3) / 12));
  return { up: Math.max(honest, junk), down: size.ringBits - size.errorBits + 1 + rounding };
}

/** Bytes of a product's ciphertexts and answers, without key and proof. */
export function productBytes({ packing, up, down, degree, ...size }: SizedProduct): number {
  const polynomials = packing.blocks * (packing.ciphertexts * up + packing.answers * down);
  return ((polynomials * degree + resultCount(size) * down) * PRIME_BITS) / 8;
}

/** Bytes of a key. */
export function keyBytes({ degree, up }: KeySize): number {
  return packedBytes(degree, PRIME_BITS) * up;
}

/** Returns the bytes of all messages of a plan's products, without their headers. */
export function latticeBytes({ products, keys, statements }: LatticePlan): number {
  const sum = (bytes: readonly number[]) => bytes.reduce((total, own) => total + own, 0);
  return Math.ceil(
    sum(keys.map(keyBytes)) + sum(products.map(productBytes)) + sum(statements.map(proofBytes)),
  );
}

/** Returns the words of a product that both ends transform. */
export function productWork({ packing, degree, up, down }: SizedProduct): number {
  const { blocks, ciphertexts, answers } = packing;
  // Samples at both ends, the CSP's factor for each ciphertext of each answer, and answers at both ends.
  const inFull = 2 + 2 * ciphertexts + answers * ciphertexts + 2 * answers;
  return blocks * degree * (inFull * up + 2 * answers * down);
}

/** Returns the words of a proof: seven tries in ten succeed, and one is checked. */
export function proofWork(
  { degree, ciphertexts, repetitions }: Pick<Statement, 'degree' | 'ciphertexts' | 'repetitions'>,
  up: number,
): number {
  return (1 + 1 / 0.7) * repetitions * (ciphertexts + 2) * degree * up;
}

/** Returns the number of words that both ends transform: what most of their time goes into. */
export function latticeWork({ products, statements }: LatticePlan): number {
  const ofProducts = products.reduce((sum, product) => sum + productWork(product), 0);
  return statements.reduce((sum, one) => sum + proofWork(one, products[one.products[0]!]!.up), ofProducts);
}
