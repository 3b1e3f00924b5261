/** The servers' steps, in their order: draw and blind, unblind to shares, shares at the data user, the result. */
export { type AgreedTask, openAgreed } from '../owner/agreed-task.ts';
export { sharesAtCsp, unblind } from './csp.ts';
export { blind, type Drawn, draw, resultOf, sharesAtDataUser } from './data-user.ts';
