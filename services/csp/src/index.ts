/** The crypto service provider. */

export { cspProgram } from './cli/command.ts';
export { CSP_SETTINGS, type CspConfiguration } from './cli/settings.ts';
export { readAudit, verifyAudit } from './operate/audit.ts';
export { inviteOwners } from './operate/enrolment-tokens.ts';
export { type CspOverrides, type RunningCsp, startCsp } from './server.ts';
