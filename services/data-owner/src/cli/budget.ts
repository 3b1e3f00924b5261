/** The commands `budget show` and `budget set` of eigenveil-owner. */
import { addSettings, printResult } from '@eigenveil/command';
import type { Command } from 'commander';
import { z } from 'zod';
import type { BudgetStatus } from '../budget/budget.ts';
import { Part, partInWords } from '../budget/parts.ts';
import { DATASET_SETTING, OWNER_SETTINGS, PREFIX } from './settings.ts';

export function addBudget(program: Command): void {
  const command = program.command('budget').description('what the rows have spent, by data set');
  addShow(command);
  addSet(command);
}

function addShow(parent: Command): void {
  const command = parent.command('show').description('show what each data set has spent, and of how much');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    policy: {
      schema: z.string().optional(),
      description: "JSON file of the owner's policy, which says the totals",
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Reads the ledger in --home and asks nobody. A task counts from the moment before it was first sent, whatever became of it. Rows that are
contributed under two names are counted under each alone, and nobody notices that they are the same. A whole is what all tasks together may take of
rows: one of its "releases" parts each, an exact one all of it. Rows that are added do not renew it; another --dataset is for rows none of which
was used.`,
  );
  command.action(async () => {
    const settings = configuration();
    const { openOwner, readPolicy } = await import('./actions/owner.ts');
    await using session = await openOwner(settings, await readPolicy(settings.policy));
    const datasets = await session.owner.budget();
    printResult(command, {
      json: { datasets },
      text: datasets.length === 0 ? 'nothing was charged yet' : datasets.map(describe).join('\n'),
    });
  });
}

/** Says in one line what is spent, of what, and what is left. */
function describe(status: BudgetStatus): string {
  const { dataset, tasks, spent, neighbours, totalEpsilon, left, answers, isUnknown } = status;
  const amount =
    spent === null
      ? `a guarantee of replace, which has no price in ${neighbours},`
      : `epsilon ${rounded(spent.epsilon)} (delta ${rounded(spent.delta)}, ${neighbours})`;
  const rest = [
    left === null ? 'any epsilon' : `epsilon ${left.epsilon} (delta ${left.delta})`,
    `${Math.max(0, answers.rotated.of - answers.rotated.given)} of ${answers.rotated.of} answers without a guarantee by rotated`,
    `${partInWords(answers.wholes.left)} of ${answers.wholes.of === 1 ? 'a whole' : `${answers.wholes.of} wholes`}`,
  ];
  return [
    `${dataset}: ${tasks === 1 ? '1 task' : `${tasks} tasks`} with a guarantee; spent: ${amount} of ${totalEpsilon ?? 'no total'}`,
    `left: ${isUnknown ? 'nothing before "budget set", since entries were lost' : rest.join(', ')}`,
  ].join('; ');
}

/** Writes a number to four digits, without zeros at the end. */
const rounded = (x: number) => `${Number(x.toPrecision(4))}`;

function addSet(parent: Command): void {
  const command = parent
    .command('set')
    .description('say what a data set has spent that the ledger does not have');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    ...DATASET_SETTING,
    epsilon: {
      schema: z.number().min(0),
      description: 'epsilon of all tasks that the ledger does not have, together',
      placeholder: 'NUMBER',
    },
    delta: {
      schema: z.number().min(0).lt(1),
      description: 'delta of them, together',
      placeholder: 'NUMBER',
    },
    neighbours: {
      schema: z.enum(['add-remove', 'replace']),
      description: 'what epsilon and delta are about: add-remove or replace',
      default: 'replace' as const,
      placeholder: 'RELATION',
    },
    rotated: {
      schema: z.int().min(0),
      description: 'answers by rotated without differential privacy',
      default: 0,
      placeholder: 'NUMBER',
    },
    part: {
      schema: Part,
      description:
        'what they have taken of a whole, together: the sum of 1/releases, and 1 for each exact one',
      default: '0',
      placeholder: 'FRACTION',
    },
  });
  command.addHelpText(
    'after',
    `
For what was contributed in another way, or under another key, and for a home that was put back from a backup: the CSP has counted entries that such a home
does not have, so every contribution is refused (ERR_BUDGET_RESTORED) until this is said for its data set. What you say is added to what the
ledger has. Said again, it takes the place of what was said before, and cannot be less. Say rather too much.

Example:
  $ eigenveil-owner budget set --dataset visits --epsilon 1.5 --delta 1e-6 --rotated 1 --part 1/2`,
  );
  command.action(async () => {
    const settings = configuration();
    const { dataset, epsilon, delta, neighbours, rotated, part } = settings;
    const elsewhere = { epsilon, delta, neighbours, rotated, part };
    const { openOwner } = await import('./actions/owner.ts');
    await using session = await openOwner(settings);
    await session.owner.setBudget(dataset, elsewhere);
    printResult(command, {
      json: { dataset, ...elsewhere },
      text: `the data set ${dataset} has spent epsilon ${epsilon} with delta ${delta} (${neighbours}) beside the ledger, given ${rotated} answers by rotated without differential privacy, and taken ${part} of a whole`,
    });
  });
}
