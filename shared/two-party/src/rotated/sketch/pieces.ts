/** A matrix of as many columns as there are features is multiplied in pieces, since a product has 256 columns at most. */
import { MAXIMUM_COLUMNS } from '../../products/ring-bits.ts';
import type { Matrix } from '../matrices.ts';

export function piecesOf(features: number): { readonly from: number; readonly size: number }[] {
  const pieces = [];
  for (let from = 0; from < features; from += MAXIMUM_COLUMNS)
    pieces.push({ from, size: Math.min(MAXIMUM_COLUMNS, features - from) });
  return pieces;
}

/** Products of all pieces side by side. */
export function joined(products: readonly Matrix[]): bigint[][] {
  return products[0]!.map((_, row) => products.flatMap((product) => product[row]!));
}
