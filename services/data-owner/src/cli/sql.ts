/** The command `sql` of eigenveil-owner. What its action works with is loaded when it runs: --help and mistakes are told at once. */
import { addSettings, printResult } from '@eigenveil/command';
import type { Command } from 'commander';
import { z } from 'zod';
import { requireNoBasis } from '../rows/sources.ts';
import { PREFIX, TASK_SETTINGS, withTask } from './settings.ts';

export function addSql(program: Command): void {
  const command = program
    .command('sql <TASK>')
    .description('print the SQL statement that computes the statistics for a task where the rows are');
  const configuration = addSettings(command, PREFIX, {
    ...TASK_SETTINGS,
    dialect: {
      schema: z.enum(['duckdb', 'postgres', 'spark', 'bigquery']),
      description: 'whose SQL',
      placeholder: 'NAME',
    },
    from: {
      schema: z.string().min(1),
      description:
        'what to read, as it stands after FROM: a table, a table with WHERE, a subquery with a name',
      placeholder: 'SQL',
    },
    columns: {
      schema: z.union([
        z.record(z.string(), z.string()),
        z
          .array(z.string().regex(/=/, 'expected own=feature'))
          .transform((names) =>
            Object.fromEntries(
              names.map((text) => [text.slice(text.indexOf('=') + 1), text.slice(0, text.indexOf('='))]),
            ),
          ),
      ]),
      description:
        'columns that have another name than in the task: {"name in the task": "column"}, or column=name with commas between',
      default: {},
      placeholder: 'JSON',
    },
  });
  command.addHelpText(
    'after',
    `
The statement clips, rounds and sums as contribute does, to the bit, and answers with one row per class. Rows never leave the database. Read
the statement before you run it: the names in it are the data user's. It is refused where names cannot be quoted safely (ERR_SQL_NAME; give a column of
your own), where sums could be too large for the database's integers (ERR_SQL_WIDTH), for tasks with differential privacy (ERR_SQL_PRIVACY)
and for sketches (ERR_SQL_SKETCH).
Tried on DuckDB and PostgreSQL; those for Spark and BigQuery follow their documentation and were not run.

Example:
  $ eigenveil-owner sql TASK --user-url https://user.example.org:8444 --dialect postgres --from 'visits WHERE year = 2025' > sums.sql
  $ psql --csv --file sums.sql > sums.csv
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --statistics sums.csv`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { dialect, from, columns } = settings;
    const task = await withTask(settings, id, (owner, dataUser, taskId) => owner.task(dataUser, taskId));
    requireNoBasis(task);
    const { sqlStatement } = await import('@eigenveil/statistics/sql');
    const statement = sqlStatement(task, task.id, { dialect, from, columns });
    printResult(command, { json: { task: task.id, dialect, statement }, text: statement.trimEnd() });
  });
}
