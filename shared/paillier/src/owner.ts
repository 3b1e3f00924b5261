/**
 * The part of Paillier that an owner needs, in Node.js and in browsers: public keys, packing, encryption,
 * ciphertexts as bytes.
 */

export {
  type Ciphertext,
  type Encrypter,
  type EncryptionScheme,
  encodeCiphertexts,
  encryptMany,
  type Plaintext,
} from './encryption.ts';
export { PublicKey, type PublicKeyJson, type PublicKeyParts } from './keys/public-key.ts';
export { makePacking, type Packing, pack } from './packing.ts';
