/** The products of an exchange as they follow from each other, each found by what its plan returned. */
import type { Matrix } from '../matrices.ts';

/** The values that this server finds from its shares of the products before, of a plan. */
export type Known<Found> = (shares: readonly Matrix[]) => Found;

export class Plan<Product> {
  readonly products: Product[] = [];

  /** Adds a product; returns this server's share of it. */
  add(product: Product): Known<Matrix> {
    const place = this.products.push(product) - 1;
    return (shares) => shares[place]!;
  }
}

/** Found once: shares of a plan's products do not change. */
export function once<Found>(find: Known<Found>): Known<Found> {
  let found: { readonly value: Found } | undefined;
  return (shares) => {
    found ??= { value: find(shares) };
    return found.value;
  };
}
