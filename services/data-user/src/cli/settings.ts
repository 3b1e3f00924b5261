/** Settings of the data user's service, and those that its commands share. */
import { COMMAND_CODES, type Configuration } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { DATABASE_WAITS, PAGE_SETTINGS, SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { TaskId, Thumbprint } from '@eigenveil/task/ids';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';

/** Names of settings in the environment begin with this prefix. */
export const PREFIX = 'EIGENVEIL_USER';

export const DATA_USER_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...PAGE_SETTINGS,
  port: { ...SERVICE_SETTINGS.port, default: 8444 },
  databaseUrl: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'expected a postgres:// address')
      .optional(),
    description:
      'PostgreSQL database, which several processes can share (default: SQLite in the data directory); better in the environment than here, for its password',
    placeholder: 'URL',
  },
  ...DATABASE_WAITS,
  jobHeartbeatSeconds: {
    schema: z.int().min(1).max(3600),
    description:
      'silence after which processes that share a PostgreSQL take a job from one another; one that is killed is silent',
    default: 10,
    placeholder: 'NUMBER',
  },
  jobNoticeSeconds: {
    schema: z.int().min(0).max(3600),
    description: 'pause in the log between two notices that the queue of jobs in PostgreSQL was interrupted',
    default: 10,
    placeholder: 'NUMBER',
  },
  cspUrl: { schema: ServiceUrl, description: 'address of the CSP, https', placeholder: 'URL' },
  cspThumbprint: {
    schema: Thumbprint,
    description: "thumbprint of the CSP's identity key, as printed by: eigenveil-csp identity",
    placeholder: 'THUMBPRINT',
  },
  cspCa: {
    schema: z.string().optional(),
    description: "certificates to trust for the CSP instead of the system's, PEM",
    placeholder: 'FILE',
  },
  cspPatienceSeconds: {
    schema: z.int().min(0).max(3600),
    description: 'how long a request to the CSP goes on trying while the CSP is down',
    default: 20,
    placeholder: 'NUMBER',
  },
  answerMilliseconds: {
    schema: z.int().min(1).max(60_000).optional(),
    description:
      'public time from an answer of the CSP to what the data user does next, whatever the answer is (default: by method, features and components, twice what the slowest matrix takes, for a discriminant method ten times what a usual one does)',
    placeholder: 'NUMBER',
  },
  retentionDays: {
    schema: z.int().min(1).max(3650),
    description: 'days after its deadline for which a task that nobody closes is kept',
    default: 30,
    placeholder: 'NUMBER',
  },
} as const;
export type DataUserConfiguration = Configuration<typeof DATA_USER_SETTINGS>;

/** Settings of the commands that talk to a running service. */
export const CLIENT_SETTINGS = {
  url: {
    schema: ServiceUrl,
    description: 'address of the data user service',
    default: 'https://127.0.0.1:8444',
    placeholder: 'URL',
  },
  ca: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
  dataDirectory: {
    schema: z.string().optional(),
    description: "the service's data directory, to find the operator's token",
    placeholder: 'DIR',
  },
  adminToken: {
    schema: z.string().optional(),
    description: "the operator's token; better in the environment than here",
    placeholder: 'TOKEN',
  },
} as const;
export type ClientSettings = Configuration<typeof CLIENT_SETTINGS>;

/**
 * Reads a task id.
 * @throws ERR_CONFIGURATION
 */
export function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"TASK" expected a task id of 22 characters, as printed by: task create',
    );
  return id.data;
}
