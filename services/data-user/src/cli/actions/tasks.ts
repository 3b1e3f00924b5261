/** The client of the commands `task`, and words for the status of a task. */
import {
  COMMAND_CODES,
  closing,
  every,
  LINE_MILLISECONDS,
  readCertificates,
  readTextFile,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { adminTokenFile } from '@eigenveil/server/settings';
import type { DifferentialPrivacy } from '@eigenveil/task/schema';
import { underTitle } from '@eigenveil/task/title';
import { CODES, type TaskOwners, type TaskStatus } from '@eigenveil/wire';
import { describeProgress } from '../../advice/describe/progress.ts';
import { TaskClient } from '../../client/tasks.ts';
import { type ClientSettings, PREFIX } from '../settings.ts';

export { TaskState } from '@eigenveil/wire';

/** The time for which requests go on trying. Every request of the commands can be sent again. */
const PATIENCE_MILLISECONDS = 5000;

/**
 * Returns a client of the running service, which its operator may use.
 * @throws ERR_CONFIGURATION, ERR_TLS_FILE
 */
export async function openClient({
  url,
  ca,
  dataDirectory,
  adminToken,
}: ClientSettings): Promise<TaskClient & AsyncDisposable> {
  if (adminToken === undefined && dataDirectory === undefined) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"adminToken" is missing: give --data-directory of the service, or ${PREFIX}_ADMIN_TOKEN`,
    );
  }
  return closing(
    new TaskClient({
      url,
      ca: await readCertificates('--ca', ca),
      patienceMilliseconds: PATIENCE_MILLISECONDS,
      adminToken:
        adminToken ?? (await readTextFile('--data-directory', adminTokenFile(dataDirectory!))).trim(),
    }),
  );
}

/**
 * Checks that a task did not fail.
 * @throws the error with which the task failed, if it did
 */
export function requireNoFailure({ failure }: TaskStatus): void {
  if (failure !== undefined) throw new CodedError(CODES[failure.code], failure.message);
}

export async function waitUntilFinal(
  client: TaskClient,
  closed: TaskStatus,
  talks: boolean,
): Promise<TaskStatus> {
  let told = describeStatus(closed);
  const isDue = every(LINE_MILLISECONDS);
  return client.untilFinal(closed.taskId, (status) => {
    const isNews = describeStatus(status) !== told;
    told = describeStatus(status);
    if (talks && (isDue() || isNews)) process.stderr.write(`${told}\n`);
  });
}

/** Says whom an open task waits for; in all other cases the state says it. */
const WAITS: Readonly<Partial<Record<TaskStatus['waitsFor']['code'], string>>> = {
  contributions: 'below the minimum of owners',
  close: 'enough to close it',
  end: 'enough; it closes by itself',
  'close full': 'no more can come; close it',
  'close overdue': 'the deadline has passed; close it',
  closing: 'it closes by itself now',
  cancel:
    'the deadline has passed with fewer than the minimum of owners: it stays open until you cancel it, or it was kept long enough',
};

export function describeStatus(status: TaskStatus): string {
  const { title, state, contributions, failure, waiting, progress, differentialPrivacy, waitsFor } = status;
  const whom = state === 'open' && WAITS[waitsFor.code] !== undefined ? `; ${WAITS[waitsFor.code]}` : '';
  const reason = failure === undefined ? '' : `; ${failure.code}: ${failure.message}`;
  const cause = waiting === undefined ? '' : `; waiting to try again: ${waiting.code}: ${waiting.message}`;
  const far = progress === undefined ? '' : `; ${describeProgress(progress)}`;
  const guarantee = differentialPrivacy === null ? '' : `, ${describeGuarantee(differentialPrivacy)}`;
  const told = `${state}, ${contributions} contributions${guarantee}${whom}${far}${reason}${cause}`;
  return underTitle(title, told);
}

export function describeOwners({ owners, more }: TaskOwners): string[] {
  const lines = owners.map(({ number, ownerId, contributedAt, withdrawn }) => {
    const came = contributedAt === null ? 'has not contributed' : `contributed ${contributedAt}`;
    return `${number}  ${ownerId}  ${came}${withdrawn ? ', withdrew or was revoked' : ''}`;
  });
  return more ? [...lines, `there are more: --after ${owners.at(-1)!.number}`] : lines;
}

/** Describes the budget of a task, all of which its result spends. */
function describeGuarantee({ epsilon, delta, neighbours }: DifferentialPrivacy): string {
  return `a result spends (ε, δ) = (${epsilon}, ${delta}) of privacy per row, ${neighbours}`;
}
