/** Settings that the commands of eigenveil-owner share, and what an action makes of them. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_CODES, readCertificates, readJsonFile, TRACE_ENDPOINT } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { TaskId } from '@eigenveil/task/schema';
import type { ServiceAddress } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';
import { DatasetName, DEFAULT_DATASET } from '../budget/dataset.ts';
import type { DataOwner } from '../owner/data-owner.ts';
import type { OwnerPolicy } from '../owner/policy.ts';
import type { Traces } from '../owner/traces.ts';

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

/** Which rows it is about, for their budget. */
export const DATASET_SETTING = {
  dataset: {
    schema: DatasetName,
    description:
      'name of the rows, under which their budget is kept: the same for rows that have some in common',
    default: DEFAULT_DATASET,
    placeholder: 'NAME',
  },
} as const;

/** What a command about a task takes, see `withTask`. */
export const TASK_SETTINGS = { ...OWNER_SETTINGS, ...DATA_USER_ADDRESS, ...POLICY_SETTINGS } as const;

export interface TaskSettings {
  readonly home: string;
  readonly patienceSeconds: number;
  readonly traceEndpoint?: string | undefined;
  readonly userUrl: string;
  readonly userCa?: string | undefined;
  readonly policy?: string | undefined;
  readonly allowSimulated: boolean;
}

export async function withOwner<T>(
  settings: Pick<TaskSettings, 'home' | 'patienceSeconds' | 'traceEndpoint'>,
  policy: OwnerPolicy,
  work: (owner: DataOwner) => Promise<T>,
): Promise<T> {
  const [{ PaillierPool, selfTest }, { DataOwner }, { OwnerHome }] = await Promise.all([
    import('@eigenveil/paillier'),
    import('../owner/data-owner.ts'),
    import('../owner/home.ts'),
  ]);
  selfTest({ allowBigintFallback: false });
  // Encryption of one contribution takes less time than starting threads for it.
  const paillier = new PaillierPool({ threads: 0 });
  const state = new OwnerHome(settings.home);
  const traces = settings.traceEndpoint === undefined ? undefined : await tracesTo(settings.traceEndpoint);
  const patienceMilliseconds = 1000 * settings.patienceSeconds;
  const owner = new DataOwner({ state, policy, paillier, patienceMilliseconds, span: traces?.span });
  try {
    return await work(owner);
  } finally {
    await traces?.close();
  }
}

async function tracesTo(endpoint: string): Promise<Traces> {
  const { openTraces } = await import('../owner/traces.ts').catch(() => {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--trace-endpoint" expected OpenTelemetry, which is not installed here: npm install @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace',
    );
  });
  return openTraces(endpoint);
}

/** The policy by which this owner contributed to the task, if it did. */
async function policyOf(home: string, taskId: TaskId): Promise<OwnerPolicy | undefined> {
  const { OwnerHome } = await import('../owner/home.ts');
  return (await new OwnerHome(home).contributed(taskId))?.policy;
}

/** Work of the owner about the task of a data user, by the owner's policy: the one that is given, or else the one that it contributed by. */
export async function withTask<T>(
  settings: TaskSettings,
  id: string,
  work: (owner: DataOwner, dataUser: ServiceAddress, taskId: TaskId, policy: OwnerPolicy) => Promise<T>,
): Promise<T> {
  const taskId = taskIdOf(id);
  const dataUser = await address(settings.userUrl, settings.userCa);
  const isGiven = settings.policy !== undefined || settings.allowSimulated;
  const kept = isGiven ? undefined : await policyOf(settings.home, taskId);
  const policy = kept ?? (await readPolicy(settings.policy, settings.allowSimulated));
  return withOwner(settings, policy, (owner) => work(owner, dataUser, taskId, policy));
}

/** The default policy, where no file is named. */
export async function readPolicy(file?: string, allowSimulated = false): Promise<OwnerPolicy> {
  const { OwnerPolicy } = await import('../owner/policy.ts');
  const policy =
    file === undefined ? OwnerPolicy.parse({}) : await readJsonFile('--policy', file, OwnerPolicy);
  return allowSimulated ? { ...policy, twoParty: [...policy.twoParty, 'simulated'] } : policy;
}

export async function address(
  url: string,
  ca: string | undefined,
  title = '--user-ca',
): Promise<ServiceAddress> {
  return { url, ca: await readCertificates(title, ca) };
}

export function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success)
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"TASK" expected a task id of 22 characters');
  return id.data;
}
