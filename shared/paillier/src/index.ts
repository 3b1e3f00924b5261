/** Paillier encryption: keys, packing, CRT decryption in OpenSSL's constant-time exponentiation, a worker pool. */

export { aggregateContributions } from './aggregate.ts';
export { bigintToBytes, bytesToBigint, decodeBigint, encodeBigint } from './bytes.ts';
export { decodeCiphertexts } from './ciphertexts.ts';
export { decrypt } from './decryption.ts';
export { encrypt } from './encryption.ts';
export { selfTest, usesBigintFallback } from './exponentiation.ts';
export { type GenerateKeyOptions, generateKeyPair } from './generate.ts';
export { add, multiplyByConstant, rerandomise } from './homomorphic.ts';
export { SecretKey, type SecretKeyJson } from './key.ts';
export * from './owner.ts';
export { blindingWidths, drawBlinding, packBlinding, unpackBlinded } from './packing.ts';
export { PaillierPool } from './pool.ts';
