/**
 * Products of a matrix of the one party and a matrix of the other over Z_{2^l}, as additive shares, from oblivious
 * transfer (Gilboa, "Two party RSA key generation", CRYPTO 1999, section 4), two bits of an entry at a time. See layout.ts
 * for the digits, hash.ts for trees, masks and their security, check.ts for what a fault meets.
 */
export { type ChosenProduct, multiplyChosen, multiplyEachChosen } from './choose.ts';
export { multiplyClear } from './clear.ts';
export { type CorrelatedProduct, multiplyCorrelated, multiplyEachCorrelated } from './correlate.ts';
export type { Part } from './layout.ts';
