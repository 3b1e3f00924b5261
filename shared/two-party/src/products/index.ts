/**
 * Products of a matrix of the one party and a matrix of the other over Z_{2^l}, as additive shares, from
 * oblivious transfer (Gilboa, "Two Party RSA Key Generation", CRYPTO 1999), a digit of four bits at a time,
 * or three: the correlator knows masks of sixteen leaves, or eight, the chooser all except the one at its
 * digit δ, and C minus the sum of all masks is enough to turn them into shares of δ·C (Roy, "SoftSpokenOT",
 * CRYPTO 2022, does so over small fields). One message carries four bits, so a product takes little more than
 * a quarter of the bytes of one transfer per bit; three bits take a third, and less time: see DigitBits. See
 * layout.ts for the digits, hash.ts for trees, masks and their security, ring-kernels.ts for the sums,
 * check.ts for what a fault or a correlator that deviates meets.
 */
export { type ChosenProduct, multiplyChosen, multiplyEachChosen } from './choose.ts';
export {
  type CorrelatedProduct,
  multiplyCorrelated,
  multiplyEachCorrelated,
} from './correlate.ts';
export type { Part } from './layout.ts';
