/** Loads the library age-encryption in Node.js, where the tests run: the package itself. */
export const ageLibrary = () => import('./age.ts');
