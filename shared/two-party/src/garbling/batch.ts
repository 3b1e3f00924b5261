/** The gates that a context computes at once: AND gates, or full adders with one AND gate each. */

/**
 * `count` vectors, by address: gate by gate a[i] AND b[i]; or the sums and carries of a[i], b[i] and c[i].
 */
export interface Batch {
  count: number;
  /** The products or carries. */
  readonly targets: Uint32Array;
  readonly lefts: Uint32Array;
  readonly rights: Uint32Array;
  readonly lanes: Uint32Array;
  /** The places of the sums; only full adders have them. */
  readonly sums: Uint32Array;
  readonly thirds: Uint32Array;
}

export function batchOf(vectors: number): Batch {
  const numbers = () => new Uint32Array(vectors);
  return {
    count: 0,
    targets: numbers(),
    lefts: numbers(),
    rights: numbers(),
    lanes: numbers(),
    sums: numbers(),
    thirds: numbers(),
  };
}
