/**
 * Settings of the commands of eigenveil-owner: those that several share, or that an action takes as a whole.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_CODES, type Configuration, readCertificates, TRACE_ENDPOINT } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import {
  CONSENT_OPTIONS,
  IGNORED_COLUMNS,
  READING_OPTIONS,
  ROWS_FILE,
} from '@eigenveil/statistics/reading-options';
import { TaskId, Thumbprint } from '@eigenveil/task/ids';
import type { ServiceAddress } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';
import { DatasetName, DEFAULT_DATASET } from '../budget/dataset.ts';

export const PREFIX = 'EIGENVEIL_OWNER';

export const OWNER_SETTINGS = {
  home: {
    schema: z.string().min(1),
    description: "folder of the owner's key, enrolment and receipts",
    default: join(homedir(), '.eigenveil', 'owner'),
    placeholder: 'DIR',
  },
  patienceSeconds: {
    schema: z.int().min(0).max(86_400),
    description: 'how long to go on trying while a service is down',
    default: 30,
    placeholder: 'NUMBER',
  },
  traceEndpoint: TRACE_ENDPOINT,
} as const;

export const DATA_USER_ADDRESS = {
  userUrl: { schema: ServiceUrl, description: 'address of the data user, https', placeholder: 'URL' },
  userCa: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
} as const;

const POLICY_SETTINGS = {
  policy: {
    schema: z.string().optional(),
    description: "JSON file of the owner's policy (default: the one of the contribution, if there was one)",
    placeholder: 'FILE',
  },
  allowSimulated: {
    schema: z.boolean(),
    description: 'take part in tasks with the simulated two-party protocol, which is NOT private',
    default: false,
  },
} as const;

/** The name of the data set, under which the budget of the rows is kept. */
export const DATASET_SETTING = {
  dataset: {
    schema: DatasetName,
    description:
      'name of the rows, under which their budget is kept: the same for rows that have some in common',
    default: DEFAULT_DATASET,
    placeholder: 'NAME',
  },
} as const;

/** Settings of every command about a task. */
export const TASK_SETTINGS = { ...OWNER_SETTINGS, ...DATA_USER_ADDRESS, ...POLICY_SETTINGS } as const;
export type TaskSettings = Configuration<typeof TASK_SETTINGS>;

/**
 * Settings that say where rows are, and how they are written. Their names are those of the readers' options.
 */
export const ROW_SETTINGS = {
  data: {
    schema: z.string().min(1).optional(),
    ...ROWS_FILE,
  },
  query: {
    schema: z.string().min(1).optional(),
    description: 'instead of a file of rows: one with a SELECT of DuckDB that gives them',
    placeholder: 'FILE',
  },
  database: {
    schema: z.string().min(1).optional(),
    description: 'what --query reads: a database of DuckDB, which is not written to',
    placeholder: 'FILE',
  },
  ...READING_OPTIONS,
} as const;

/** Settings of a contribution: the rows and their owner, the data user, and the policy. */
export const CONTRIBUTE_SETTINGS = {
  ...TASK_SETTINGS,
  ...DATASET_SETTING,
  statistics: {
    schema: z.string().min(1).optional(),
    description:
      'instead of rows: the result of the statement that "eigenveil-owner sql" prints, CSV or JSON',
    placeholder: 'FILE',
  },
  ignore: IGNORED_COLUMNS,
  ...ROW_SETTINGS,
  ...CONSENT_OPTIONS,
  strict: {
    schema: z.boolean(),
    description: "refuse cells outside their feature's range instead of clipping them",
    default: false,
  },
  discardPending: {
    schema: z.boolean(),
    description: 'give up what was prepared from other rows and has no receipt',
    default: false,
  },
} as const;

/** Settings of serve-series: those of each contribution, and when to look for the next one. */
export const SERIES_SETTINGS = {
  ...CONTRIBUTE_SETTINGS,
  results: {
    schema: z.string().min(1).optional(),
    description: 'folder for the results, each with all that was signed about it: TASK.json',
    placeholder: 'DIR',
  },
  everySeconds: {
    schema: z.int().min(1).max(86_400),
    description: 'how long to wait between two looks',
    default: 600,
    placeholder: 'NUMBER',
  },
  once: {
    schema: z.boolean(),
    description: 'look once and end: for cron',
    default: false,
  },
} as const;

export const PROJECT_SETTINGS = {
  ...TASK_SETTINGS,
  userUrl: { ...TASK_SETTINGS.userUrl, schema: ServiceUrl.optional() },
  projection: {
    schema: z.string().optional(),
    description: 'file that "project --evidence" has written, to be used without any service',
    placeholder: 'FILE',
  },
  cspThumbprint: {
    schema: Thumbprint.optional(),
    description: "with --projection: thumbprint of the CSP's key (default: as at the enrolment)",
    placeholder: 'THUMBPRINT',
  },
  out: {
    schema: z.string().optional(),
    description: 'where to write the reduced rows: Parquet if the name ends so, otherwise CSV',
    placeholder: 'FILE',
  },
  wait: {
    schema: z.boolean(),
    description: 'wait for the result if it is not there yet; Ctrl-C ends it',
    default: false,
  },
  waitMinutes: {
    schema: z.number().min(0).max(43_200),
    description: 'with --wait: how long, at most',
    default: 60,
    placeholder: 'NUMBER',
  },
  keep: {
    schema: z.array(z.string()),
    description:
      'columns to carry over to the reduced rows as they stand, with commas between or as a JSON list',
    default: [],
    placeholder: 'LIST',
  },
  ignore: {
    ...IGNORED_COLUMNS,
    description:
      'columns to leave out, as contribute takes them; all that the projection does not know are left out anyway',
  },
  ...ROW_SETTINGS,
  allowClipping: CONSENT_OPTIONS.allowClipping,
  save: {
    schema: z.string().optional(),
    description: 'where to write the projection, JSON',
    placeholder: 'FILE',
  },
  evidence: {
    schema: z.string().optional(),
    description:
      'where to write all that was signed about the result, JSON, for: eigenveil-owner verify, and for --projection',
    placeholder: 'FILE',
  },
} as const;

/** Settings of verify: a file, and by whom it is checked. */
export const VERIFY_SETTINGS = {
  home: OWNER_SETTINGS.home,
  evidence: {
    schema: z.string().min(1),
    description: 'file that "project --evidence" or "task result --evidence" has written',
    placeholder: 'FILE',
  },
  cspThumbprint: {
    schema: Thumbprint.optional(),
    description: "thumbprint of the CSP's key, to check without --home (default: as at the enrolment)",
    placeholder: 'THUMBPRINT',
  },
} as const;

/**
 * Returns the address of the data user with the certificates to trust.
 * @throws ERR_TLS_FILE
 */
export async function address(
  url: string,
  ca: string | undefined,
  title = '--user-ca',
): Promise<ServiceAddress> {
  return { url, ca: await readCertificates(title, ca) };
}

/**
 * Reads a task id.
 * @throws ERR_CONFIGURATION
 */
export function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success)
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"TASK" expected a task id of 22 characters');
  return id.data;
}
