/** Where the library age-encryption comes from in Node.js, where the tests run: the package itself. */
export const ageLibrary = () => import('./age.ts');
