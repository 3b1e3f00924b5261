/** The parts of the library age-encryption that the owner's page uses: a script of its own, which comes with the first backup. */
export { armor, Decrypter, Encrypter } from 'age-encryption';
