/** The commands of eigenveil-owner by which rows come to a task: `contribute`, `serve-series`, and `sql` for rows in a database. */
import { addSettings, CSV_HELP, printResult } from '@eigenveil/command';
import type { Command } from 'commander';
import { z } from 'zod';
import { CONTRIBUTE_SETTINGS, PREFIX, SERIES_SETTINGS, TASK_SETTINGS } from './settings.ts';

const POLICY_HELP = `
The policy (--policy FILE) says what the owner agrees to; a task that breaks it is refused before a row is read:
  { "minimumOwners": 5, "minimumKeyBits": 3072, "twoParty": ["garbled"], "maximumComponents": 20, "maximumLinks": 2,
    "allowSpectrum": false, "allowFullRank": false, "allowVariances": false, "minimumClassRows": 10,
    "allowWithoutDifferentialPrivacy": false, "maximumEpsilon": 1, "maximumDelta": 1e-6,
    "neighbours": "add-remove", "noise": "servers", "colludingOwners": 1,
    "totalEpsilon": 3, "totalDelta": 1e-6, "answers": { "rotated": 1, "wholes": 1 },
    "ownFloor": true, "grains": { "age": 1, "smoker": 1, "pressure": "cell" },
    "series": { "most": 12, "shortestIntervalHours": 600, "totalEpsilon": 3 } }
twoParty names what the owner trusts; "linear" consents to noisy sums: of histograms, counts of every feature by bins, and of moments, sums of every feature and of products of every two, whose ε and δ are counted as those of all tasks.
allowSpectrum consents to all eigenvalues: with the two-party protocol rotated to those of the total scatter and, for dca, lda and mdr, of the
pencil; and to sketches, which reveal nearly as many eigenvalues as they have columns. minimumClassRows consents to numbers of rows by class, which such tasks reveal, if this owner has that many rows of each class that it has
any of; where no other owner has the class, the number is its own. Without it such tasks are refused.
allowFullRank consents to results from which the whole scatter matrix follows, and to exact ones, which have no floor: where values are whole numbers,
it may follow from any of them.
allowVariances consents to a PCA of the correlation matrix, whose vectors tell the variances of features.
maximumLinks consents to tasks that stand on an earlier result, and is the largest number of tasks in a chain: rows are reduced first by
that result, which the data user of the next task has chosen. Each is an answer of its own over the same rows ("answers"). Without it such tasks are refused.
colludingOwners is for tasks whose owners add the noise: minimumOwners must be at least honestOwners + colludingOwners.
series consents to tasks that renew others (serve-series): at most this number of tasks, the first one
counted, at least this time apart, with at most this sum of ε. Two results over nearly the same rows tell together what came or went between them:
all rows of an owner's if it came or went (docs/privacy.md, "Series"). Without it such tasks are refused.
totalEpsilon and totalDelta are for all tasks together that rows of one --dataset are contributed to. answers says what results over the same rows,
which are compared with each other, may tell together: 1 answer by rotated without differential privacy, and 1 whole of all tasks, where nothing is
said. A task takes one of its "releases" parts of a whole, an exact one all of it, a histogram nothing. A whole belongs to rows: rows that are added
do not renew it, and another --dataset is for rows none of which was used. Without totalEpsilon and maximumEpsilon, tasks by rotated with
differential privacy are answers, too, since any ε would do. A task is charged before anything is sent, for good: see budget.
ownFloor adds noise to your sums, before they are encrypted, where your values lie further apart than the task says: it is found in 60 rows or
more, or said by grains. With false, such a task takes more of the whole instead.`;

export function addContribute(program: Command): void {
  const command = program
    .command('contribute <TASK>')
    .description("contribute the encrypted statistics of a file's rows to a task");
  const configuration = addSettings(command, PREFIX, {
    ...CONTRIBUTE_SETTINGS,
    dryRun: {
      schema: z.boolean(),
      description: 'read the rows and say what would be contributed and charged; send and spend nothing',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `${POLICY_HELP}
${CSV_HELP}

Parquet and --query are read by DuckDB (an error says what to install); docs/rows.md says what their values mean. All files that a
pattern names are rows of this one owner: 'month=*/*.parquet'. Rows that are too many for one machine are summed by their database: see sql.

Running it again after a lost answer reads the file again and sends the same bytes; once there is a receipt, it shows the receipt and
sends nothing, and refuses other rows than those of the receipt (ERR_CONTRIBUTION_CONFLICT). The policy is kept with the receipt, for
commands about the task that are given none. Other rows than those of a contribution without a receipt are refused (ERR_CONTRIBUTION_PENDING): give the first file
again, or withdraw, which is for good, or give the first one up with --discard-pending. The last is not possible where owners add the noise
of differential privacy, since noise is drawn once.

With --dry-run the task is fetched and checked by the policy and the rows are read, but nothing is encrypted, charged or sent.

Example:
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data rows.csv --ignore id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data 'month=*/*.parquet' --ignore id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --query rows.sql --database visits.duckdb`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { contributeTo } = await import('./actions/contribute.ts');
    await contributeTo(command, settings, id);
  });
}

export function addServeSeries(program: Command): void {
  const command = program
    .command('serve-series <TASK>')
    .description('contribute to a task and to each one that renews it, as they come');
  const configuration = addSettings(command, PREFIX, SERIES_SETTINGS);
  command.addHelpText(
    'after',
    `
The policy must agree: "series" with most, shortestIntervalHours and, for differential privacy, totalEpsilon (contribute --help). Rows are
read again for each task, by the same settings as contribute takes. The next task is the one that the CSP has signed as such, with the same
parameters; the record of what this owner has contributed to is in --home. A failure is reported, and the work is tried again at the next look.
SIGTERM ends the command. One that is killed can be started again at any time: no task gets two contributions.

With --once it looks once. The exit code is 0 if it contributed or wrote a result, 5 if there was nothing to do.

Example:
  $ eigenveil-owner serve-series TASK --user-url https://user.example.org:8444 --policy policy.json --data rows.csv --ignore id --results results
  0 * * * * eigenveil-owner serve-series TASK --once --config owner.json || test $? -eq 5`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { serveSeries } = await import('./actions/series.ts');
    await serveSeries(command, settings, id);
  });
}

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
    const { dialect } = settings;
    const { statementOf } = await import('./actions/task.ts');
    const { task, statement } = await statementOf(settings, id);
    printResult(command, { json: { task: task.id, dialect, statement }, text: statement.trimEnd() });
  });
}
