/** What the operator of an authenticator decides: how long, how many and how often. */

export interface AuthenticatorPolicy {
  readonly enrolmentWindows: number;
  readonly invitationMilliseconds: number;
  readonly windowsPerMinute: number;
  readonly sessionsPerHour: number;
  readonly stepUpsPerDay: number;
  readonly idleMilliseconds: number;
  readonly activeSessions: number;
  readonly eventMilliseconds: number;
  readonly learnAfterStepUp: number;
  readonly learnAfterRun: number;
  readonly learningShare: number;
  readonly driftLevel: number;
}
