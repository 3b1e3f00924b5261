/** Settings of the authenticator's service, and those that its other commands share. */
import type { ScoreKind, SequentialSettings, TrustSettings } from '@eigenveil/authentication';
import { type Configuration, readCertificates } from '@eigenveil/command';
import { SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { CSV_OPTIONS } from '@eigenveil/statistics/reading-options';
import { Thumbprint } from '@eigenveil/task/ids';
import type { ServiceAddress } from '@eigenveil/wire';
import { Digest } from '@eigenveil/wire/digest';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';

/** The ranges of these settings are checked where the engine is made. */
const Trust = z.strictObject({
  kind: z.literal('trust'),
  threshold: z.number(),
  width: z.number(),
  reward: z.number(),
  penalty: z.number(),
  stepUpBelow: z.number(),
  lockBelow: z.number(),
  confidentFrom: z.number(),
}) satisfies z.ZodType<TrustSettings>;
const Sequential = z.strictObject({
  kind: z.literal('sequential'),
  edges: z.array(z.number()).max(10_000),
  logRatios: z.array(z.number()).max(10_001),
  falseStepUp: z.number(),
  falseLock: z.number(),
  missedImpostor: z.number(),
}) satisfies z.ZodType<SequentialSettings>;
const EngineSettings = z.discriminatedUnion('kind', [Trust, Sequential]);

const SCORES = ['mahalanobis', 'euclidean', 'cosine'] as const satisfies readonly ScoreKind[];

/** A projection in use. Scores differ between projections, so each has decisions of its own. */
export const ProjectionSettings = z.strictObject({
  /** The digest by which devices name the projection. */
  digest: Digest,
  components: z.int().min(1).max(512),
  /**
   * Euclidean length that no reduced row of it can exceed; left out, only the library's bound on entries
   * holds.
   */
  largestLength: z.number().positive().optional(),
  score: z.enum(SCORES).default('mahalanobis'),
  engine: EngineSettings,
  /**
   * The share of the spread by which means of users move from one time to another; left out, nothing checks
   * whether they drift.
   */
  movement: z.number().min(0).optional(),
});
export type ProjectionSettings = z.infer<typeof ProjectionSettings>;

// These settings are left out: nothing here encrypts in threads, and signatures have no fallback.
const { threads: _, allowBigintFallback: __, ...COMMON } = SERVICE_SETTINGS;

const number = (description: string, initial: number, most = 1_000_000_000) => ({
  schema: z.int().min(1).max(most),
  description,
  default: initial,
  placeholder: 'NUMBER',
});
const share = (description: string, initial: number) => ({
  schema: z.number().positive().lt(1),
  description,
  default: initial,
  placeholder: 'SHARE',
});

export const AUTHENTICATOR_SETTINGS = {
  ...COMMON,
  port: { ...COMMON.port, default: 8445 },
  logPeers: { ...COMMON.logPeers, default: 'none' }, // where and when somebody is at a device is nobody else's business
  relyingApplications: {
    schema: z.array(Thumbprint).min(1),
    description: 'key thumbprint of the relying application, or a JSON list of its keys',
    placeholder: 'LIST',
  },
  projections: {
    schema: z.array(ProjectionSettings).min(1).max(100),
    description: 'JSON list of the projections in use, as calibrate prints them',
    placeholder: 'LIST',
  },
  enrolmentWindows: number('fewest windows of an enrolment', 20, 1000),
  invitationHours: number('how long an invitation can be used', 72, 8760),
  windowsPerMinute: {
    schema: z.int().min(100), // a whole batch
    description: 'limit per user',
    default: 600,
    placeholder: 'NUMBER',
  },
  sessionsPerHour: number('limit per user', 60),
  stepUpsPerDay: number('step-ups because of windows that a user may have in a day; the last one locks', 10),
  idleSeconds: number('silence after which a session ends', 300, 86_400),
  activeSessions: number('sessions at a time; the one heard longest ago ends for another', 10_000, 1_000_000),
  eventDays: number('how long events are kept for the relying application', 30, 3650),
  learnAfterStepUp: number('windows after a confirmed step-up from which a template learns', 50),
  learnAfterRun: number('windows of a confident run from which a template learns', 500),
  learningShare: share('share of those windows in the template that has learnt from them', 0.1),
  driftLevel: share('how likely a user who has not drifted is flagged, over all looks', 0.01),
  driftAlarm: share('how likely false flags alone tell that a new projection is due', 0.01),
  webhookUrl: {
    schema: z.url({ protocol: /^https$/ }).optional(),
    description: 'https address that gets every event, signed; without it, the relying application asks',
    placeholder: 'URL',
  },
  webhookCa: {
    schema: z.string().optional(),
    description: "certificates to trust for the webhook instead of the system's, PEM",
    placeholder: 'FILE',
  },
} as const;
export type AuthenticatorConfiguration = Configuration<typeof AUTHENTICATOR_SETTINGS>;

export const ROWS = {
  data: {
    schema: z.string().min(1),
    description: 'CSV file of windows with a header row, also in a gzip archive; - for standard input',
    placeholder: 'FILE',
  },
  ...CSV_OPTIONS,
} as const;

export const PROJECTION = {
  schema: z.string(),
  description: 'file that "eigenveil-owner project --evidence" has written',
  placeholder: 'FILE',
} as const;

export const CSP_THUMBPRINT = {
  schema: Thumbprint,
  description: "thumbprint of the CSP's key, learnt over a channel that you trust",
  placeholder: 'THUMBPRINT',
} as const;

export const PATIENCE = {
  patienceSeconds: {
    schema: z.int().min(0).max(86_400),
    description: 'how long to go on trying while the service is down',
    default: 30,
    placeholder: 'NUMBER',
  },
} as const;

export const SERVICE_ADDRESS = {
  serviceUrl: { schema: ServiceUrl, description: 'address of the authenticator, https', placeholder: 'URL' },
  serviceCa: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
} as const;

/**
 * Returns the address of the service with the certificates to trust.
 * @throws ERR_TLS_FILE
 */
export async function addressOf(settings: {
  readonly serviceUrl: string;
  readonly serviceCa?: string | undefined;
}): Promise<ServiceAddress> {
  const { serviceUrl: url, serviceCa } = settings;
  return { url, ca: await readCertificates('--service-ca', serviceCa) };
}
