/** The largest products: what a task needs is checked against them where nothing is multiplied. */

/** With the bits of the check (layout.ts) it fills five lanes of 64 bits. */
export const MAXIMUM_RING_BITS = 300;
/** The limit of the sides of both servers' matrices. */
export const MAXIMUM_SIDE = 2 ** 15;
/** The limit of a result's columns: a digit's correlations are hashed under one key. */
export const MAXIMUM_COLUMNS = 256;
