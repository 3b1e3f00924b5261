/** The work of `verify`: it checks a result in a file, without any service, and says what that proves. */
import {
  COMMAND_CODES,
  type Command,
  type Configuration,
  printResult,
  readSignedFile,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { explainedVariance, openProjection, SignedProjection, tellingOf } from '@eigenveil/projection';
import { deviationOfRows, underTitle } from '@eigenveil/task';
import type { z } from 'zod';
import { basisOf } from '../../owner/connection.ts';
import { Evidence, type TaskResult } from '../../owner/result.ts';
import { taskIdOf, type VERIFY_SETTINGS } from '../settings.ts';
import { openOwner } from './owner.ts';

type VerifySettings = Configuration<typeof VERIFY_SETTINGS>;

/** A result whose signatures are valid. */
type Verified = Omit<TaskResult, 'evidence'>;

/**
 * Checks a result that was fetched before: by the thumbprint of a CSP, or as an owner who took part.
 * @throws as `readEvidence`, `openProjection` and `verifyResult`
 */
export async function verifyEvidence(
  command: Command,
  settings: VerifySettings,
  id: string | undefined,
): Promise<void> {
  const { evidence: file, cspThumbprint } = settings;
  if (cspThumbprint === undefined) {
    const evidence = await readEvidence('--evidence', file, Evidence, id);
    await using session = await openOwner({ ...settings, patienceSeconds: 0 });
    tell(command, await session.owner.verify(evidence), true);
    return;
  }
  const evidence = await readEvidence('--evidence', file, SignedProjection, id);
  const { basis, ...verified } = await openProjection(evidence, cspThumbprint);
  tell(command, { ...verified, basis: basisOf(basis) }, false);
}

/**
 * Reads what was signed about a result from a file.
 * @param id the task that it must be of, if that is known
 * @throws ERR_EVIDENCE_UNSIGNED and ERR_CONFIGURATION
 */
export async function readEvidence<Signed extends SignedProjection>(
  flag: string,
  file: string,
  schema: z.ZodType<Signed>,
  id: string | undefined,
): Promise<Signed> {
  const evidence = await readSignedFile(flag, file, schema);
  if (id !== undefined && evidence.task.id !== taskIdOf(id))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected that of task ${id}, got ${evidence.task.id}`,
    );
  return evidence;
}

/** Tells programs all that was signed, with what follows from it, and people what is proven. */
function tell(
  command: Command,
  { task, projection, basis, provenance }: Verified,
  hasTakenPart: boolean,
): void {
  const { verifiedOwners } = provenance;
  const by = tellingOf(task).rows?.by({ task, projection }, basis);
  const isExact = deviationOfRows(task, verifiedOwners) === 0;
  printResult(command, {
    json: {
      task,
      signedBy: { csp: task.csp, dataUser: task.dataUser },
      provenance,
      contributed: hasTakenPart ? true : null,
      projection,
      basis,
      rows: by === undefined ? null : { features: by.features.map(({ name }) => name), columns: by.names },
      exactCount: isExact ? (projection.sampleCount ?? null) : null,
      explained: explainedVariance(projection, verifiedOwners) ?? null,
    },
    text: underTitle(
      task.title,
      [
        describeOwners(provenance, hasTakenPart),
        `the CSP ${task.csp} has signed task ${task.id} and countersigned this result and no other, which the data user ${task.dataUser} has signed`,
      ].join('\n'),
    ),
  });
}

/** Says who took part in a result, and which one it is. */
export function describeOwners(
  { verifiedOwners, projectionDigest }: TaskResult['provenance'],
  hasTakenPart: boolean,
): string {
  return `${verifiedOwners} owners took part${hasTakenPart ? ', this one among them' : ''}; digest of the result ${projectionDigest}`;
}
