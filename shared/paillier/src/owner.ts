/**
 * The part of Paillier that an owner needs, in Node.js and in browsers: public keys, packing, encryption,
 * ciphertexts as bytes.
 */

export { PAILLIER_CODES } from './codes.ts';
export {
  type Ciphertext,
  type Encrypter,
  type EncryptionScheme,
  encodeCiphertexts,
  encryptMany,
  type Plaintext,
} from './encryption.ts';
export { type KeyOptions, PublicKey, type PublicKeyJson, type PublicKeyParts } from './keys/public-key.ts';
export {
  makePacking,
  type Packing,
  type PackingOptions,
  type Plaintexts,
  pack,
  type Slot,
} from './packing.ts';
