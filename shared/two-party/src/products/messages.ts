/** The messages of products in a MessageStream; types 0x30 to 0x3f belong to this room. */
export const PRODUCT_MESSAGE = {
  /** Chooser, when it has all chunks: what the combinations of columns are drawn from, 16 bytes. */
  challenge: 0x30,
  /** Correlator: hash key, tree corrections and masked correlations of one chunk; see layout.ts for the length. */
  chunk: 0x31,
  /** Correlator: for each product the masked combinations of its matrix, ring elements, and a digest of 32 bytes; see check.ts. */
  check: 0x32,
} as const;
