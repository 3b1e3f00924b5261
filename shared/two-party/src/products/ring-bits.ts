/** The longest ring elements that are multiplied: what a task needs is checked against it where nothing is multiplied. */

/** With the bits of the check (layout.ts) it fills five lanes of 64 bits. */
export const MAXIMUM_RING_BITS = 300;
