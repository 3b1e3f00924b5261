/** The command `calibrate` of eigenveil-authenticator. */
import { addSettings, CSV_HELP, printResult } from '@eigenveil/command';
import type { Command } from 'commander';
import { z } from 'zod';
import { CSP_THUMBPRINT, PROJECTION, ROWS } from './settings.ts';

const rate = (description: string, initial: number) => ({
  schema: z.number().positive().lt(0.5),
  description,
  default: initial,
  placeholder: 'RATE',
});

export function addCalibrate(program: Command, prefix: string): void {
  const command = program
    .command('calibrate')
    .description("from some users' rows, print what the service is to know of a projection");
  const configuration = addSettings(command, prefix, {
    projection: PROJECTION,
    cspThumbprint: CSP_THUMBPRINT,
    ...ROWS,
    user: {
      schema: z.string().min(1),
      description: 'column that says whose a row is',
      placeholder: 'COLUMN',
    },
    score: {
      schema: z.enum(['mahalanobis', 'euclidean', 'cosine']),
      description: 'how windows are scored: mahalanobis, euclidean or cosine',
      default: 'mahalanobis',
      placeholder: 'NAME',
    },
    engine: {
      schema: z.enum(['trust', 'sequential']),
      description:
        'how decisions follow from scores: trust (penalty and reward) or sequential (a probability ratio test)',
      default: 'trust',
      placeholder: 'NAME',
    },
    windowsPerFalseStepUp: {
      schema: z.number().gt(1).max(1e12),
      description: 'trust: windows of the right user between two step-ups, on average at least',
      default: 1000,
      placeholder: 'NUMBER',
    },
    falseStepUp: rate('sequential: how often a test asks the right user for a step-up', 0.01),
    falseLock: rate('sequential: how often a test at a step-up locks the right user', 0.001),
    missedImpostor: rate('sequential: how often a test ends for an impostor', 0.01),
  });
  command.addHelpText(
    'after',
    `${CSV_HELP}

Prints one member of the setting "projections" of "serve". A user's rows stand in the order of time; at least 10 of each of two users or more, and
better of dozens: rates are no surer than the rows are many. They are read in the clear, so take rows of users who have agreed to that. Others
enrol without showing any.

Example:
  $ eigenveil-authenticator calibrate --projection evidence.json --csp-thumbprint THUMBPRINT --data pilot.csv --user user`,
  );
  command.action(async () => {
    const { score, engine: kind, windowsPerFalseStepUp, ...settings } = configuration();
    const { falseStepUp, falseLock, missedImpostor } = settings;
    const promised =
      kind === 'trust' ? { kind, windowsPerFalseStepUp } : { kind, falseStepUp, falseLock, missedImpostor };
    const { calibrationOf } = await import('./actions.ts');
    const entry = await calibrationOf(settings, { score, promised });
    printResult(command, { json: entry, text: JSON.stringify(entry, null, 2) });
  });
}
