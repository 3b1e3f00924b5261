/** The servers' steps, a file for each, in their order: draw and blind, unblind, the shares of both, the result. */
export { type AgreedTask, openAgreed, signsOf } from '../owner/agreed-task.ts';
export { blind, type Drawn, draw, readDrawn } from './blind.ts';
export { longestResult, resultOf } from './result.ts';
export { shareBits, sharesAtCsp, sharesAtDataUser } from './shares.ts';
export { unblind } from './unblind.ts';
