/** What the protocol needs of secret multiplication: additive shares modulo 2^ringBits of choices · correlations. */
import type { Matrix } from './matrices.ts';

export interface ChoosingProduct {
  /** m × n, signed. */
  readonly matrix: Matrix;
  /** Entries are in [−2^(entryBits − 1), 2^(entryBits − 1)). */
  readonly entryBits: number;
  /** c, the columns of the correlator's matrix. */
  readonly columns: number;
  readonly ringBits: number;
  /** With 'upper' only entries on and above the diagonal are shared; the others are 0. */
  readonly part: 'whole' | 'upper';
}

export interface CorrelatingProduct {
  /** n × c, ring elements. */
  readonly matrix: Matrix;
  /** m, the rows of the chooser's matrix. */
  readonly rows: number;
  readonly entryBits: number;
  readonly ringBits: number;
  readonly part: 'whole' | 'upper';
}

/** The CSP's end. Both ends call alike; the products of one call take one round trip together. */
export interface Chooser {
  multiply(products: readonly ChoosingProduct[]): Promise<bigint[][][]>;
}

/** The data user's end. */
export interface Correlator {
  multiply(products: readonly CorrelatingProduct[]): Promise<bigint[][][]>;
}
