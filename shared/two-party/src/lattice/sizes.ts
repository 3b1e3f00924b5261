/**
 * Chooses degree, classes, primes and floods of secret products by their sizes, and says how far results may be off:
 * docs/lattice.md derives what is only stated here, by the same names.
 */
import { type Packing, packingOf, resultCount, type Sides } from './packing.ts';
import { DEGREES, type Degree, largestLimbs, modulusRefusal, PRIME_BITS, SMALL_BITS } from './security.ts';
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
  /** The CSP's entries are below 2^factorBits in magnitude, its rows below 2^rowBits in Euclidean norm. */
  readonly factorBits: number;
  readonly rowBits: number;
  /** An honest result is off by less than 2^errorBits units before both ends round to a unit. */
  readonly errorBits: number;
  /** Other rows may move the result of a data user that deviates by 2^junkBits units at most; free where it is left out. */
  readonly junkBits?: number;
  /** Products of one stage have one secret and leave together: nothing of theirs depends on what it decrypts. */
  readonly stage: number;
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

/** A proof that keys, and ciphertexts outside class 0, are short: one answer for all of its secrets together. */
export interface Statement {
  /** Numbers of its products; they have the same packing of the data user's factor. */
  readonly products: readonly number[];
  /** Its secrets, by stage. */
  readonly stages: readonly number[];
  readonly degree: Degree;
  readonly classes: number;
  /** Ciphertexts under each of its secrets. */
  readonly ciphertexts: number;
  readonly repetitions: number;
  /** Masks of answers for secrets, and for errors, are uniform integers of this number of bits, sign included. */
  readonly secretMaskBits: number;
  readonly errorMaskBits: number;
}

export interface LatticePlan {
  readonly products: readonly SizedProduct[];
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

function floodBitsOf(degree: number, { secretBits, errorBits }: Slack, results: number): number {
  const n = Math.log2(degree);
  const hidden = sumBits(n + errorBits, n + Math.log2(ERROR_BOUND) + secretBits);
  return Math.ceil(hidden) + HIDING_BITS + Math.ceil(Math.log2(results));
}

/** log₂ of the least modulus that a product needs, up and down. */
function modulusBits(size: ProductSize, degree: number, classes: number, slack: Slack, floodBits: number) {
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

const limbsFor = (bits: number): number => Math.ceil(bits / LEAST_PRIME_BITS);

interface Candidate {
  readonly products: readonly SizedProduct[];
  readonly statement: Omit<Statement, 'products' | 'stages'>;
  readonly bytes: number;
}

/** Sizes products of one statement with this number of classes; nothing where the degree has no room for them. */
function sizedWith(sizes: readonly ProductSize[], degree: Degree, classes: number): Candidate | undefined {
  const [first] = sizes;
  const { ciphertexts, blocks } = packingOf(first!, degree, classes);
  const secrets = new Set(sizes.map(({ stage }) => stage)).size;
  const count = ciphertexts * blocks;
  const statement = { degree, classes, ciphertexts: count, ...proofSizes(degree, classes, count, secrets) };
  // Wider masks, of very many ciphertexts, do not fit into a residue; nobody proves what is not shown itself.
  const widest = Math.max(statement.secretMaskBits, statement.errorMaskBits);
  if (widest > SMALL_BITS) return undefined;
  const slack = slackOf(statement);
  const products = sizes.map((size): SizedProduct => {
    const floodBits = floodBitsOf(degree, slack, resultCount(size));
    const needed = modulusBits(size, degree, classes, slack, floodBits);
    const down = limbsFor(needed.down);
    return {
      ...size,
      ...{ degree, floodBits, down, up: Math.max(limbsFor(needed.up), down) },
      packing: packingOf(size, degree, classes),
    };
  });
  const up = Math.max(...products.map((product) => product.up));
  if (up > largestLimbs(degree)) return undefined;
  const together = products.map((product) => ({ ...product, up }));
  const bytes = together.reduce((sum, product) => sum + productBytes(product), 0);
  return { products: together, statement, bytes: bytes + proofBytes(statement) };
}

/** Bytes of a product's ciphertexts and answers, without keys and proofs. */
export function productBytes({ packing, up, down, degree, ...size }: SizedProduct): number {
  const polynomials = packing.blocks * (packing.ciphertexts * up + packing.answers * down);
  return ((polynomials * degree + resultCount(size) * down) * PRIME_BITS) / 8;
}

/** Returns the bytes of all messages of a plan's products, without their headers. */
export function latticeBytes({ products, statements }: LatticePlan): number {
  const sum = (bytes: readonly number[]) => bytes.reduce((total, own) => total + own, 0);
  const ups = Map.groupBy(products, ({ degree }) => degree);
  const keys = new Map(products.map(({ stage, degree }) => [`${stage} ${degree}`, degree]));
  const ofKeys = [...keys.values()].map(
    (degree) => packedBytes(degree, PRIME_BITS) * Math.max(...ups.get(degree)!.map(({ up }) => up)),
  );
  return Math.ceil(sum(ofKeys) + sum(products.map(productBytes)) + sum(statements.map(proofBytes)));
}

/** Returns the number of words that both ends transform: what most of their time goes into. */
export function latticeWork({ products, statements }: LatticePlan): number {
  const ofProducts = products.reduce((sum, { packing, degree, up, down }) => {
    const { blocks, ciphertexts, answers } = packing;
    // Samples at both ends, the CSP's factor for each ciphertext of each answer, and answers at both ends.
    const inFull = 2 * ciphertexts + answers * ciphertexts + 2 * answers;
    return sum + blocks * degree * (inFull * up + 2 * answers * down);
  }, 0);
  const ofProofs = statements.reduce((sum, { degree, ciphertexts, repetitions, products: numbers }) => {
    const { up } = products[numbers[0]!]!;
    // Seven tries in ten succeed, and one is checked.
    return sum + (1 + 1 / 0.7) * repetitions * (ciphertexts + 2) * degree * up;
  }, 0);
  return ofProducts + ofProofs;
}

/** Returns what takes the least bytes among all degrees and numbers of classes; nothing where none has room. */
function bestOf(sizes: readonly ProductSize[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const degree of DEGREES) {
    for (let classes = 1; classes <= degree / 2; classes *= 2) {
      const one = sizedWith(sizes, degree, classes);
      if (one !== undefined && (best === undefined || one.bytes < best.bytes)) best = one;
    }
  }
  return best;
}

/** Products that are proved together, by their numbers. */
interface Group {
  readonly numbers: readonly number[];
  readonly best: Candidate;
}

/** Returns the groups with one product more: in that with which it takes the least bytes, or in one of its own. */
function joined(groups: readonly Group[], i: number, sizes: readonly ProductSize[]): readonly Group[] {
  const { inner, columns, stage } = sizes[i]!;
  const alone = bestOf([sizes[i]!]);
  let least = alone && { more: alone.bytes, groups: [...groups, { numbers: [i], best: alone }] };
  for (const group of groups) {
    const members = group.numbers.map((other) => sizes[other]!);
    const fits = members.every(
      (other) => other.inner === inner && other.columns === columns && other.stage !== stage,
    );
    const best = fits ? bestOf([...members, sizes[i]!]) : undefined;
    if (best === undefined) continue;
    const more = best.bytes - group.best.bytes;
    const merged = { numbers: [...group.numbers, i], best };
    if (least === undefined || more < least.more)
      least = { more, groups: groups.map((other) => (other === group ? merged : other)) };
  }
  if (least === undefined) throw modulusRefusal();
  return least.groups;
}

/**
 * Plans all products of a run. Products of different stages with equal sides of the data user's factor are shown to be well formed
 * together, where that takes less bytes.
 * @throws ERR_TASK_RANGE where a product needs a modulus that no degree has enough security for, or a proof wider masks than there are
 */
export function latticePlan(sizes: readonly ProductSize[]): LatticePlan {
  const products: SizedProduct[] = [];
  const statements: Statement[] = [];
  let groups: readonly Group[] = [];
  for (const i of sizes.keys()) groups = joined(groups, i, sizes);
  for (const { numbers, best } of groups) {
    for (const [at, i] of numbers.entries()) products[i] = best.products[at]!;
    statements.push({ ...best.statement, products: numbers, stages: numbers.map((i) => sizes[i]!.stage) });
  }
  return { products, statements };
}
