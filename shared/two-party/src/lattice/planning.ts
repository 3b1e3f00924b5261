/** Plans the secret products of a run: degree, classes and primes of each, and which are proved to be well formed together. */
import { packingOf, resultCount } from './packing.ts';
import { DEGREES, type Degree, largestLimbs, modulusRefusal, SMALL_BITS } from './security.ts';
import {
  floodBitsOf,
  type KeySize,
  keyBytes,
  type LatticePlan,
  LEAST_PRIME_BITS,
  modulusBits,
  type ProductSize,
  productBytes,
  productWork,
  proofBytes,
  proofSizes,
  proofWork,
  type SizedProduct,
  type Statement,
  slackOf,
} from './sizes.ts';

/** A word that is transformed costs as much as this number of bytes, at 75 million words a second and some 200 Mbit/s. */
const BYTES_PER_WORD = 0.1;

/** Products that are proved together, by their numbers, as they cost least. */
interface Group {
  readonly numbers: readonly number[];
  readonly products: readonly SizedProduct[];
  readonly statement: Omit<Statement, 'products'>;
  readonly cost: number;
}

type Sizes = readonly ProductSize[];

const limbsFor = (bits: number): number => Math.ceil(bits / LEAST_PRIME_BITS);

/** Sizes products of one statement with this number of classes; nothing where the degree has no room for them. */
function sizedWith(
  numbers: readonly number[],
  sizes: Sizes,
  degree: Degree,
  classes: number,
): Group | undefined {
  const packings = numbers.map((i) => packingOf(sizes[i]!, degree, classes));
  const [ciphertexts, ...others] = packings.map((packing) => packing.blocks * packing.ciphertexts);
  if (others.some((count) => count !== ciphertexts)) return undefined;
  const drawn = proofSizes(degree, classes, ciphertexts!, numbers.length);
  const statement = { degree, classes, ciphertexts: ciphertexts!, ...drawn };
  // Wider masks, of very many ciphertexts, do not fit into a residue; nobody proves what is not shown itself.
  if (Math.max(statement.secretMaskBits, statement.errorMaskBits) > SMALL_BITS) return undefined;
  const slack = slackOf(statement);
  const needed = numbers.map((i) => {
    const floodBits = floodBitsOf(degree, slack, resultCount(sizes[i]!));
    return { floodBits, ...modulusBits(sizes[i]!, degree, classes, slack, floodBits) };
  });
  const up = Math.max(...needed.map((one) => limbsFor(Math.max(one.up, one.down))));
  if (up > largestLimbs(degree)) return undefined;
  const products = numbers.map((i, at): SizedProduct => {
    const { floodBits, down } = needed[at]!;
    return { ...sizes[i]!, degree, packing: packings[at]!, up, down: limbsFor(down), floodBits };
  });
  const cost =
    products.reduce(
      (sum, one) => sum + productBytes(one) + keyBytes(one) + BYTES_PER_WORD * productWork(one),
      0,
    ) +
    (proofBytes(statement) + BYTES_PER_WORD * proofWork(statement, up));
  return { numbers, products, statement, cost };
}

/** Returns what costs least among all degrees and numbers of classes; nothing where none has room. */
function bestOf(numbers: readonly number[], sizes: Sizes): Group | undefined {
  let best: Group | undefined;
  for (const degree of DEGREES) {
    for (let classes = 1; classes <= degree / 2; classes *= 2) {
      const one = sizedWith(numbers, sizes, degree, classes);
      if (one !== undefined && (best === undefined || one.cost < best.cost)) best = one;
    }
  }
  return best;
}

interface Merge {
  readonly pair: readonly [Group, Group];
  readonly merged: Group;
  readonly saved: number;
}

function mergeOf(left: Group, right: Group, sizes: Sizes): Merge[] {
  const merged = bestOf([...left.numbers, ...right.numbers], sizes);
  const saved = left.cost + right.cost - (merged?.cost ?? Number.POSITIVE_INFINITY);
  return merged && saved > 0 ? [{ pair: [left, right], merged, saved }] : [];
}

/**
 * Plans all products of a run. Two groups of products are proved together as long as that costs less, those first that save most.
 * @throws ERR_TASK_RANGE where a product needs a modulus that no degree has enough security for, or a proof wider masks than there are
 */
export function latticePlan(sizes: Sizes): LatticePlan {
  let groups = sizes.map((_, i): Group => {
    const alone = bestOf([i], sizes);
    if (alone === undefined) throw modulusRefusal();
    return alone;
  });
  let merges = groups.flatMap((left, i) =>
    groups.slice(i + 1).flatMap((right) => mergeOf(left, right, sizes)),
  );
  while (merges.length > 0) {
    const { pair, merged } = merges.reduce((best, one) => (one.saved > best.saved ? one : best));
    groups = groups.filter((group) => !pair.includes(group));
    merges = merges.filter((one) => !one.pair.some((group) => pair.includes(group)));
    merges.push(...groups.flatMap((group) => mergeOf(group, merged, sizes)));
    groups.push(merged);
  }
  const products: SizedProduct[] = [];
  for (const { numbers, products: sized } of groups)
    for (const [at, i] of numbers.entries()) products[i] = sized[at]!;
  const statements = groups.map(({ numbers, statement }) => ({
    ...statement,
    products: numbers.toSorted((left, right) => left - right),
  }));
  return { products, statements, ...keysOf(products, statements) };
}

/** Gives products of one call one key, but no two that are proved together. */
function keysOf(
  products: readonly SizedProduct[],
  statements: readonly Statement[],
): Pick<LatticePlan, 'keys' | 'keyOf'> {
  const keys: (KeySize & { readonly call: number })[] = [];
  const keyOf: number[] = [];
  for (const [i, { degree, up, call }] of products.entries()) {
    const beside = statements.find((statement) => statement.products.includes(i))!.products;
    const taken = beside.map((other) => keyOf[other]);
    const free = keys.findIndex((key, k) => key.call === call && key.degree === degree && !taken.includes(k));
    if (free < 0) keys.push({ degree, up, call });
    else keys[free] = { degree, call, up: Math.max(up, keys[free]!.up) };
    keyOf.push(free < 0 ? keys.length - 1 : free);
  }
  return { keys: keys.map(({ degree, up }) => ({ degree, up })), keyOf };
}
