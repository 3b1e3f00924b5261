/**
 * The owner that a command works as, with the things that its settings name: home, policy, data user,
 * collector of traces.
 */
import { COMMAND_CODES, readJsonFile } from '@eigenveil/command';
import { PaillierPool, selfTest } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task/ids';
import type { ServiceAddress } from '@eigenveil/wire';
import { DataOwner } from '../../owner/data-owner.ts';
import { OwnerHome } from '../../owner/home.ts';
import { OwnerPolicy } from '../../owner/policy.ts';
import type { Traces } from '../../owner/traces.ts';
import { address, type TaskSettings, taskIdOf } from '../settings.ts';

/** An owner at work. When it is disposed of, the traces that are left are sent. */
interface OwnerSession extends AsyncDisposable {
  readonly owner: DataOwner;
}

/**
 * An owner at work on a task of a data user, by the policy that is given or by which the owner contributed.
 */
interface TaskSession extends OwnerSession {
  readonly dataUser: ServiceAddress;
  readonly taskId: TaskId;
  readonly policy: OwnerPolicy;
}

/**
 * Opens the owner that the settings name.
 * @throws ERR_CONFIGURATION where traces are wanted and OpenTelemetry is not installed
 */
export async function openOwner(
  settings: Pick<TaskSettings, 'home' | 'patienceSeconds'> & Partial<Pick<TaskSettings, 'traceEndpoint'>>,
  policy = OwnerPolicy.parse({}),
): Promise<OwnerSession> {
  selfTest({ allowBigintFallback: false });
  const traces = settings.traceEndpoint === undefined ? undefined : await tracesTo(settings.traceEndpoint);
  const owner = new DataOwner({
    state: new OwnerHome(settings.home),
    policy,
    paillier: new PaillierPool({ threads: 0 }), // encryption of one contribution takes less time than starting threads for it
    patienceMilliseconds: 1000 * settings.patienceSeconds,
    span: traces?.span,
  });
  return { owner, [Symbol.asyncDispose]: async () => traces?.close() };
}

/**
 * Opens the owner and its data user for work on a task.
 * @throws ERR_CONFIGURATION, ERR_TLS_FILE, ERR_OWNER_HOME
 */
export async function openTask(settings: TaskSettings, id: string): Promise<TaskSession> {
  const taskId = taskIdOf(id);
  const dataUser = await address(settings.userUrl, settings.userCa);
  const isGiven = settings.policy !== undefined || settings.allowSimulated;
  const kept = isGiven ? undefined : (await new OwnerHome(settings.home).contributed(taskId))?.policy;
  const policy = kept ?? (await readPolicy(settings.policy, settings.allowSimulated));
  return { ...(await openOwner(settings, policy)), dataUser, taskId, policy };
}

/** Reads the policy in a file; without one it is the default. */
export async function readPolicy(file: string | undefined, allowSimulated = false): Promise<OwnerPolicy> {
  const policy =
    file === undefined ? OwnerPolicy.parse({}) : await readJsonFile('--policy', file, OwnerPolicy);
  return allowSimulated ? { ...policy, twoParty: [...policy.twoParty, 'simulated'] } : policy;
}

async function tracesTo(endpoint: string): Promise<Traces> {
  const { openTraces } = await import('../../owner/traces.ts').catch(() => {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--trace-endpoint" expected OpenTelemetry, which is not installed here: npm install @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace',
    );
  });
  return openTraces(endpoint);
}
