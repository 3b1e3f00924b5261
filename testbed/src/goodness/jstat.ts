/// <reference path="./jstat.d.ts" />
/** jstat with types, for whoever needs a distribution function as a reference. */
export { default } from 'jstat';
