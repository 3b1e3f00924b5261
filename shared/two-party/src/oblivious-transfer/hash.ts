/** Lengths of the hashes of transfers and of garbling: both are made of AES-128. */
/** The length of keys of AES-128, here and in garbling. */
export const HASH_KEY_BYTES = 16;
export const BLOCK_BYTES = 16;
