/** What the protocol needs of secret multiplication. Both ends call alike; the products of one call take two round trips together. */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';

/** The CSP's end: its shares of each product. */
export interface Chooser {
  multiply(products: readonly ChosenProduct[]): Promise<bigint[][][]>;
}

/** The data user's end. */
export interface Correlator {
  multiply(products: readonly CorrelatedProduct[]): Promise<bigint[][][]>;
}
