/** The documents whose claims the evaluation judges, in the order of the report. */
export const CLAIM_DOCUMENTS = [
  'SECURITY.md',
  'docs/privacy.md',
  'docs/security/garbled.md',
  'docs/security/rotated.md',
  'docs/security/releases.md',
  'docs/security/methods.md',
  'docs/security/several-tasks.md',
  'docs/security/owners.md',
  'docs/security/keys.md',
  'docs/security/timing.md',
  'docs/security/evidence.md',
  'docs/security/operators.md',
  'docs/security/browser.md',
  'docs/security/authenticator.md',
] as const;
