/**
 * The command `task result` of eigenveil-user. What its action works with is loaded when it runs: --help and
 * mistakes are told at once.
 */
import { writeFile } from 'node:fs/promises';
import { addSettings, COMMAND_CODES, checkCanWrite, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Command } from 'commander';
import { z } from 'zod';
import { CLIENT_SETTINGS, PREFIX, taskIdOf, withClient } from './tasks.ts';

export function addResult(task: Command): void {
  const command = task
    .command('result <TASK>')
    .description('show the result of a task that is done, or write it to a file');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    out: {
      schema: z.string().optional(),
      description: 'file to write it to, as JSON unless --format says otherwise',
      placeholder: 'FILE',
    },
    format: {
      schema: z.enum(['json', 'csv']).optional(),
      description:
        'json: the projection with its signatures; csv: a line per component, of a histogram per bin, of ridge per weight (default: text, to be read)',
      placeholder: 'json|csv',
    },
  });
  command.addHelpText(
    'after',
    `
Shows eigenvalues, shares of the variance where the task declared trace or spectrum, who took part, and a scree plot. Notes tell of components
that are not what they seem; the remarks of csv and of --json with --out are their codes:
  not-found   the computation has not found the component
  no-classes  its eigenvalue may come from the ridges alone, so that class means need not differ along it
  zero        its eigenvalue may be zero, and its vector arbitrary
  mixed       its eigenvalue equals another one within what the arithmetic resolves: only the space of their vectors is certain
  noise       its eigenvalue is below the noise of differential privacy
  status      "converged" says little about it, since the eigenvalue is below 2^-10 of the first
All follow from what is released. docs/precision.md has the thresholds.

Example:
  $ eigenveil-user task result TASK --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user --out projection.json`,
  );
  command.action(async (id: string) => {
    const { out, format, ...settings } = configuration();
    const isJson = command.optsWithGlobals().json === true;
    if (isJson && format === 'csv' && out === undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--format csv" expected without --json, or with --out',
      );
    const taskId = taskIdOf(id);
    if (out !== undefined) await checkCanWrite('--out', out);
    const [{ task: agreed }, { projection, provenance }] = await withClient(settings, async (client) => [
      await client.signed(taskId),
      await client.resultWithProvenance(taskId),
    ]);
    const [{ remarksOf }, { csvOfRegression, csvOfResult, describeOwners, describeResult }] =
      await Promise.all([import('../advice/describe/caveats.ts'), import('../advice/describe/result.ts')]);
    const { verifiedOwners } = provenance;
    const remarks = remarksOf(agreed, projection);
    const told = { task: agreed, projection, verifiedOwners, remarks };
    const result = { ...projection, provenance };
    const { method } = agreed;
    const { csvOfHistograms, describeHistogramResult } = await import('../advice/describe/histogram.ts');
    const { narrowFeatures } = await import('../advice/describe/result.ts');
    const isHistogram = method.kind === 'histogram';
    const csv = () => {
      if (isHistogram) return csvOfHistograms(agreed, method, projection);
      return method.kind === 'ridge' ? csvOfRegression(told) : csvOfResult(told);
    };
    const text = () => (isHistogram ? describeHistogramResult(told) : describeResult(told));
    const written = format === 'csv' ? csv() : JSON.stringify(result, null, 2);
    if (out === undefined) {
      printResult(command, { json: result, text: format === undefined ? text() : written });
      return;
    }
    await writeFile(out, `${written}\n`);
    printResult(command, {
      json: { file: out, verifiedOwners, remarks, warnings: narrowFeatures(agreed, projection) },
      text: `written to ${out}; ${describeOwners(verifiedOwners)}\n\n${text()}`,
    });
  });
}
