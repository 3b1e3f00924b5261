/** The data owner: client library and command line. */
export { ownerProgram } from './command.ts';
export { DataOwner, type DataOwnerOptions, type ServiceAddress } from './data-owner.ts';
export { type Enrolment, OwnerHome, type PendingContribution } from './home.ts';
export { checkPolicy, OwnerPolicy } from './policy.ts';
export { reduceFile } from './reduce.ts';
