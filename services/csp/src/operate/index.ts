/** The work of the CSP's operator, beside a service that may be running. */
export { readAudit, verifyAudit } from './audit.ts';
export { invitationLinks, inviteOwners, qrCode } from './enrolment-tokens.ts';
export { listDataUsers, listOwners, listTasks, listTokens } from './lists.ts';
export { CspOperator } from './operator.ts';
