/** The crypto service provider. */
export { type AuditEntry, readAudit, type VerifiedAudit, verifyAudit } from './audit.ts';
export { cspProgram } from './command.ts';
export { inviteOwners } from './invite.ts';
export { CspOperator } from './operator.ts';
export { type CspOverrides, type RunningCsp, startCsp } from './server.ts';
export { CSP_SETTINGS, type CspConfiguration } from './settings.ts';
