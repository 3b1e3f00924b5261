/**
 * Lattice reduction: short vectors of the lattice that rows of whole numbers generate, and the point of it that is near to a target.
 *
 * LLL (Lenstra, Lenstra, Lovász, "Factoring polynomials with rational coefficients", 1982) in the form of Schnorr and Euchner ("Lattice basis reduction", 1994):
 * vectors are exact, Gram–Schmidt is computed in doubles, and a vector is shortened until nothing changes any more. Doubles serve for about a hundred vectors.
 */

/** The Lovász condition: |b*_i|² ≥ (δ − μ²)·|b*_(i−1)|². */
const DELTA = 0.99;
/** No |μ| is larger. */
const MOST_MU = 0.501;
/** A vector that is not short after this number of passes never will be: doubles do not tell how to shorten it. */
const MOST_PASSES = 200;

/** Half of the bits of a double. */
const NEARLY_ORTHOGONAL = 2 ** -26;

export type Row = readonly bigint[];

/**
 * A reduced basis of the lattice of these rows.
 * @param rows linearly independent, of entries below 2^500
 * @throws RangeError where the rows depend on each other, or doubles are not enough for them
 */
export function reduce(rows: readonly Row[]): bigint[][] {
  const reduction = new Reduction(rows);
  for (let k = 0; k < rows.length; ) k = reduction.step(k);
  return reduction.rows;
}

/**
 * The vector of the lattice that Babai's nearest plane finds for a target ("On Lovász' lattice reduction and the nearest lattice point problem", 1986).
 * @param basis as `reduce` returns it
 * @throws as `reduce`
 */
export function nearest(basis: readonly Row[], target: Row): bigint[] {
  return closest(basis, target, 0);
}

/**
 * The nearest vector of the lattice that a search of so many steps finds, beginning with that of `nearest` (Schnorr and Euchner's enumeration, depth first).
 * @param basis as `reduce` returns it
 * @throws as `reduce`
 */
export function closest(basis: readonly Row[], target: Row, steps: number): bigint[] {
  const reduction = new Reduction([...basis, target]);
  for (let k = 0; k <= basis.length; k += 1) reduction.shorten(k);
  const multiples = reduction.search(steps);
  const rest = reduction.rows.at(-1)!;
  const beyond = multiples.flatMap((multiple, j) =>
    multiple === 0 ? [] : [[BigInt(multiple), basis[j]!] as const],
  );
  return target.map((entry, i) =>
    beyond.reduce((sum, [multiple, row]) => sum + multiple * row[i]!, entry - rest[i]!),
  );
}

class Reduction {
  readonly rows: bigint[][];
  /** The rows in doubles. */
  readonly #near: Float64Array[];
  /** r_ij = μ_ij·|b*_j|², and r_ii = |b*_i|². */
  readonly #r: Float64Array[];
  readonly #mu: Float64Array[];

  constructor(rows: readonly Row[]) {
    this.rows = rows.map((row) => [...row]);
    this.#near = rows.map((row) => Float64Array.from(row, Number));
    this.#r = rows.map(() => new Float64Array(rows.length));
    this.#mu = rows.map(() => new Float64Array(rows.length));
  }

  /** Row k is shortened and goes where Lovász' condition wants it; returns the next to look at. */
  step(k: number): number {
    const left = this.shorten(k);
    let place = k;
    while (place > 0 && left[place - 1]! < DELTA * this.#r[place - 1]![place - 1]!) place -= 1;
    if (!(left[place]! > 0)) throw new RangeError('"rows" expected independent ones, few enough for doubles');
    for (const list of [this.rows, this.#near, this.#r, this.#mu] as unknown[][])
      list.splice(place, 0, ...list.splice(k, 1));
    this.#r[place]![place] = left[place]!;
    return place + 1;
  }

  /** Takes multiples of the rows before off row k until nothing changes; returns |b_k|² less its parts along the first 0, 1, … of them. */
  shorten(k: number): Float64Array {
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const left = this.#orthogonalise(k);
      if (!this.#shortenOnce(k)) return left;
    }
    throw new RangeError('"rows" expected few enough for doubles');
  }

  /** Multiples of all rows but the last that come nearer to it than none, if a search of a given number of steps finds some. */
  search(steps: number): number[] {
    const last = this.rows.length - 1;
    const own = this.#mu[last]!;
    const tried = new Array<number>(last).fill(0);
    let best = { square: inner(own, this.#r[last]!, last), multiples: [...tried] };
    let left = steps;
    const visit = (k: number, square: number) => {
      if (k < 0) best = { square, multiples: [...tried] };
      if (k < 0) return;
      let centre = own[k]!;
      for (let j = k + 1; j < last; j += 1) centre -= tried[j]! * this.#mu[j]![k]!;
      const middle = Math.round(centre);
      const side = centre < middle ? -1 : 1;
      for (let turn = 0; left > 0; turn += 1) {
        // The middle, and then one side after the other, ever farther.
        const multiple = middle + side * (turn % 2 === 1 ? 1 : -1) * Math.ceil(turn / 2);
        const beyond = square + this.#r[k]![k]! * (centre - multiple) ** 2;
        if (beyond >= best.square) break;
        left -= 1;
        tried[k] = multiple;
        visit(k - 1, beyond);
      }
      tried[k] = 0;
    };
    visit(last - 1, 0);
    return best.multiples;
  }

  /** Gram–Schmidt of row k. */
  #orthogonalise(k: number): Float64Array {
    const [own, r, mu] = [this.#near[k]!, this.#r[k]!, this.#mu[k]!];
    const left = new Float64Array(k + 1);
    left[0] = inner(own, own, own.length);
    for (let j = 0; j < k; j += 1) {
      r[j] = this.#product(k, j) - inner(this.#mu[j]!, r, j);
      mu[j] = r[j]! / this.#r[j]![j]!;
      left[j + 1] = left[j]! - mu[j]! * r[j]!;
    }
    r[k] = left[k]!;
    return left;
  }

  /** The product of rows k and j: exact where they are so nearly orthogonal that doubles would not tell. */
  #product(k: number, j: number): number {
    const [own, other] = [this.#near[k]!, this.#near[j]!];
    const product = inner(own, other, own.length);
    const lengths = Math.sqrt(inner(own, own, own.length) * inner(other, other, other.length));
    if (Math.abs(product) > NEARLY_ORTHOGONAL * lengths) return product;
    return Number(this.rows[k]!.reduce((sum, entry, i) => sum + entry * this.rows[j]![i]!, 0n));
  }

  /** Takes multiples of the rows before off row k; returns whether there were any. */
  #shortenOnce(k: number): boolean {
    const [row, near, mu] = [this.rows[k]!, this.#near[k]!, this.#mu[k]!];
    let changed = false;
    for (let j = k - 1; j >= 0; j -= 1) {
      if (Math.abs(mu[j]!) <= MOST_MU) continue;
      const multiple = Math.round(mu[j]!);
      const [exact, other, others] = [BigInt(multiple), this.rows[j]!, this.#mu[j]!];
      for (let i = 0; i < row.length; i += 1) if (other[i] !== 0n) row[i]! -= exact * other[i]!;
      for (let i = 0; i < j; i += 1) mu[i]! -= multiple * others[i]!;
      changed = true;
    }
    if (changed) for (let i = 0; i < row.length; i += 1) near[i] = Number(row[i]!);
    return changed;
  }
}

/** The product of the first entries. */
function inner(a: Float64Array, b: Float64Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
