/** Paillier encryption: keys, packing, CRT decryption in OpenSSL's constant-time exponentiation, a worker pool. */

export { aggregateContributions } from './aggregate.ts';
export { bigintToBytes, bytesToBigint, decodeBigint, encodeBigint } from './bytes.ts';
export { decodeCiphertexts, encodeCiphertexts } from './ciphertexts.ts';
export { decrypt } from './decryption.ts';
export {
  add,
  type Ciphertext,
  type EncryptionScheme,
  encrypt,
  multiplyByConstant,
  type Plaintext,
  rerandomise,
} from './encryption.ts';
export { PaillierError, type PaillierErrorCode } from './errors.ts';
export { selfTest, usesBigintFallback } from './exponentiation.ts';
export { type GenerateKeyOptions, generateKeyPair } from './generate.ts';
export { type KeyOptions, PublicKey, type PublicKeyJson, SecretKey, type SecretKeyJson } from './key.ts';
export {
  drawBlinding,
  makePacking,
  type Packing,
  type PackingOptions,
  pack,
  packBlinding,
  type Slot,
  unpackBlinded,
} from './packing.ts';
export { PaillierPool } from './pool.ts';
