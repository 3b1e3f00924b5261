/**
 * Programs over matrices that two servers share. A program is written once: the CSP, the data user, a run in the clear and a count of
 * sizes give it sessions that know one end's matrices, the other's, both or none, and products of their own.
 */
import type { ProductSize } from '../lattice/sizes.ts';
import type { Matrix } from '../rotated/matrices.ts';

/** The two servers. */
export type End = 'csp' | 'user';

/** The shares of a matrix that both ends have, or a matrix that one end knows: of each end those that a session knows. */
export type Piece = Readonly<Partial<Record<End, Matrix>>>;

/** A matrix of the CSP, or one that it makes of its shares of the products before in the same call. */
export type Made = Piece | ((before: readonly Piece[]) => Piece);

/** A product of a matrix of the CSP and one of the data user, or one that both share. */
export interface Product {
  readonly size: Omit<ProductSize, 'call'>;
  readonly csp: Made;
  readonly user: Piece;
  /** The CSP's share of the second matrix, where both have one. */
  readonly plus?: Piece;
  /**
   * A mask, which the CSP adds to a result that the data user learns. Without one a result stays shared, so that a
   * result without a mask is never opened.
   */
  readonly opened?: { readonly under: Made };
}

/** Makes all products of a call: shares of both, or what is opened, which the data user has. */
export interface Products {
  multiply(first: number, products: readonly Product[]): Promise<readonly Piece[]>;
}

export class MatrixSession {
  readonly #ends: readonly End[];
  readonly #products: Products;
  #made = 0;

  constructor(ends: readonly End[], products: Products) {
    this.#ends = ends;
    this.#products = products;
  }

  /** Returns what one end computes alone. */
  at(end: End, compute: () => Matrix): Piece {
    return this.#ends.includes(end) ? { [end]: compute() } : {};
  }

  /** Returns what both ends compute alike, each from its own shares. */
  each(shares: readonly Piece[], compute: (...own: Matrix[]) => Matrix): Piece {
    return Object.fromEntries(this.#ends.map((end) => [end, compute(...shares.map((piece) => piece[end]!))]));
  }

  /**
   * Makes products by a message each way, the last of which may be opened. None depends on what the data user has of another; the CSP's matrices may follow from
   * its shares of those before.
   */
  async together(...products: readonly Product[]): Promise<readonly Piece[]> {
    if (products.slice(0, -1).some(({ opened }) => opened))
      throw new TypeError('"products" expected one that is opened to be the last of its call');
    const first = this.#made;
    this.#made += products.length;
    return await this.#products.multiply(first, products);
  }
}
