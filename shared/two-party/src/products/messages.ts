/** The messages of products in a MessageStream; types 0x30 to 0x3f belong to this room. */
export const PRODUCT_MESSAGE = {
  /** Correlator: the key of the transcript's tag, 16 bytes. */
  opening: 0x30,
  /** Correlator: hash key, tree corrections and masked correlations of one chunk; see layout.ts for the length. */
  chunk: 0x31,
  /** Correlator: the digest of check.ts, 32 bytes. */
  check: 0x32,
} as const;
