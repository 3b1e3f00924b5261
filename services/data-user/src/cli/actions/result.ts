/** The work of `task result`: it fetches a result, and prints or writes it with remarks. */
import { writeFile } from 'node:fs/promises';
import { COMMAND_CODES, type Command, checkCanWrite, isJson, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { csvOf, saveProjection } from '@eigenveil/projection';
import { remarksOf } from '../../advice/describe/caveats.ts';
import { describeOwners, describeResult, narrowFeatures } from '../../advice/describe/result.ts';
import { type ClientSettings, taskIdOf } from '../settings.ts';
import { openClient } from './tasks.ts';

/**
 * Prints or writes the result of a task.
 * @throws ERR_CONFIGURATION, and as the service refuses
 */
export async function printTaskResult(
  command: Command,
  id: string,
  settings: ClientSettings & {
    readonly out?: string | undefined;
    readonly format?: 'json' | 'csv' | undefined;
    readonly evidence?: string | undefined;
  },
): Promise<void> {
  const { out, format, evidence } = settings;
  if (isJson(command) && format === 'csv' && out === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--format csv" expected without --json, or with --out',
    );
  const taskId = taskIdOf(id);
  if (out !== undefined) await checkCanWrite('--out', out);
  if (evidence !== undefined) await checkCanWrite('--evidence', evidence);
  await using client = await openClient(settings);
  const signed = await client.signed(taskId);
  const { task } = signed;
  const { projection, provenance } = await client.resultWithProvenance(taskId);
  if (evidence !== undefined)
    await saveProjection(evidence, { ...signed, ...(await client.signedResult(taskId)) });
  const { verifiedOwners } = provenance;
  const remarks = remarksOf(task, projection);
  const told = { task, projection, verifiedOwners, remarks };
  const result = { ...projection, provenance };
  const text = () => describeResult(told);
  const written = format === 'csv' ? csvOf(told) : JSON.stringify(result, null, 2);
  if (out === undefined) {
    printResult(command, { json: result, text: format === undefined ? text() : written });
    return;
  }
  await writeFile(out, `${written}\n`);
  printResult(command, {
    json: { file: out, verifiedOwners, remarks, warnings: narrowFeatures(task, projection) },
    text: `written to ${out}; ${describeOwners(verifiedOwners)}\n\n${text()}`,
  });
}
