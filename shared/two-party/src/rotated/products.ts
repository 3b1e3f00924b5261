/**
 * The interface to secret multiplication. Both ends call alike; the products of one call take two round trips
 * together.
 */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';

/** The CSP's end: its shares of each product. */
export interface Chooser {
  multiply(products: readonly ChosenProduct[]): Promise<bigint[][][]>;
}

/** The data user's end. */
export interface Correlator {
  multiply(products: readonly CorrelatedProduct[]): Promise<bigint[][][]>;
}

/** The CSP's ends of products of either direction. */
export interface CspProducts extends Chooser {
  /** The products in which the data user's bits are the choices. */
  readonly reversed: Correlator;
}

/** The data user's ends. */
export interface DataUserProducts extends Correlator {
  readonly reversed: Chooser;
}
