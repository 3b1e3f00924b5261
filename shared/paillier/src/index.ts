/**
 * Paillier encryption: keys, packing, CRT decryption in OpenSSL's constant-time exponentiation, a worker
 * pool.
 */

export { bytesToBigint, decodeBigint, encodeBigint } from './arithmetic/bytes.ts';
export { selfTest, usesBigintFallback } from './arithmetic/exponentiation.ts';
export { decodeCiphertexts } from './ciphertexts.ts';
export { decrypt } from './decryption.ts';
export { encrypt } from './encryption.ts';
export { add } from './homomorphic.ts';
export { type GenerateKeyOptions, generateKeyPair } from './keys/generate.ts';
export { SecretKey } from './keys/secret-key.ts';
export * from './owner.ts';
export { blindingWidths, drawBlinding, packBlinding, unpackBlinded } from './packing.ts';
export { PaillierPool } from './pool/pool.ts';
