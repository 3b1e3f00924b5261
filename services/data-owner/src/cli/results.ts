/**
 * The commands of eigenveil-owner about a result: `project` and `verify`. What their actions work with is loaded when they run: --help and
 * mistakes are told at once.
 */
import { access, constants, writeFile } from 'node:fs/promises';
import { matchesGlob, resolve, sep } from 'node:path';
import {
  addSettings,
  COMMAND_CODES,
  CSV_HELP,
  checkCanWrite,
  clippedByName,
  onShutdown,
  printNote,
  printResult,
  readSignedFile,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { saveProjection } from '@eigenveil/projection';
import { CONSENT_OPTIONS, IGNORED_COLUMNS, toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { Thumbprint } from '@eigenveil/task/schema';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import type { TaskResult } from '../owner/result.ts';
import { ROW_SETTINGS, rowsOf } from '../rows/sources.ts';
import {
  OWNER_SETTINGS,
  PREFIX,
  readPolicy,
  TASK_SETTINGS,
  type TaskSettings,
  taskIdOf,
  withOwner,
  withTask,
} from './settings.ts';

const UNCOVERED =
  'note: no guarantee of differential privacy covers reduced rows: do not publish them, keep them like the rows themselves';

export function addProject(program: Command): void {
  const command = program
    .command('project [TASK]')
    .description('fetch the signed projection, or take it from a file, and reduce rows by it');
  const configuration = addSettings(command, PREFIX, {
    ...TASK_SETTINGS,
    userUrl: { ...TASK_SETTINGS.userUrl, schema: ServiceUrl.optional() },
    projection: {
      schema: z.string().optional(),
      description: 'file that "project --evidence" has written, to be used without any service',
      placeholder: 'FILE',
    },
    cspThumbprint: {
      schema: Thumbprint.optional(),
      description: "with --projection: thumbprint of the CSP's key (default: as at the enrolment)",
      placeholder: 'THUMBPRINT',
    },
    out: {
      schema: z.string().optional(),
      description: 'where to write the reduced rows: Parquet if the name ends so, else CSV',
      placeholder: 'FILE',
    },
    wait: {
      schema: z.boolean(),
      description: 'wait for the result if it is not there yet; Ctrl-C ends it',
      default: false,
    },
    waitMinutes: {
      schema: z.number().min(0).max(43_200),
      description: 'with --wait: how long, at most',
      default: 60,
      placeholder: 'NUMBER',
    },
    keep: {
      schema: z.array(z.string()),
      description:
        'columns to carry over to the reduced rows as they stand, with commas between or as a JSON list',
      default: [],
      placeholder: 'LIST',
    },
    ignore: {
      ...IGNORED_COLUMNS,
      description:
        'columns to leave out, as contribute takes them; all that the projection does not know are left out anyway',
    },
    ...ROW_SETTINGS,
    allowClipping: CONSENT_OPTIONS.allowClipping,
    save: {
      schema: z.string().optional(),
      description: 'where to write the projection, JSON',
      placeholder: 'FILE',
    },
    evidence: {
      schema: z.string().optional(),
      description:
        'where to write all that was signed about the result, JSON, for: eigenveil-owner verify, and for --projection',
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `${CSV_HELP}

Reduced rows are written with commas and decimal points; columns that are kept come first. Of ridge, what is predicted is written in one column
of its name and "predicted_"; rows need not have that column. They are rows in other coordinates. No guarantee
of differential privacy covers them, whatever the task promises for the projection itself: do not publish them, keep them like the rows.

With --projection, the file's signatures are checked, but not whether this owner took part, which is for: eigenveil-owner verify.

With --wait, nothing is written before the result is there; if the task fails, or its data user cancels it, the command says so.

Example:
  $ eigenveil-owner project TASK --user-url https://user.example.org:8444 --wait --data rows.csv --keep id --out reduced.csv`,
  );
  command.action(async (id: string | undefined) => {
    const settings = configuration();
    const { out, save, evidence } = settings;
    const rowSource = (settings.data ?? settings.query) === undefined ? undefined : rowsOf(settings);
    await checkOutputs(settings);
    const isOffline = settings.projection !== undefined;
    const result = isOffline
      ? await openedResult(id, { ...settings, file: settings.projection! })
      : await fetchedResult(command, id, settings);
    const { task, projection, basis, provenance } = result;
    if (task.method.kind === 'histogram') {
      await keepHistogram(command, result, settings, !isOffline);
      return;
    }
    const [{ Predictor, Projector, saveProjection }, { reduceRows }, { byPredictor, byProjector }] =
      await Promise.all([
        import('@eigenveil/projection'),
        import('../rows/reduce.ts'),
        import('../rows/reduced-lines.ts'),
      ]);
    if (save !== undefined) await writeFile(save, `${JSON.stringify(projection, null, 2)}\n`);
    if (evidence !== undefined) await saveProjection(evidence, result.evidence);
    const isRegression = task.method.kind === 'ridge';
    const by = isRegression ? new Predictor(task, projection) : new Projector(task, projection, basis);
    const components = projection.vectors.length;
    const warnings: string[] = [];
    const { rows, skippedRows } =
      rowSource === undefined
        ? { rows: 0, skippedRows: 0 }
        : await reduceRows(by instanceof Predictor ? byPredictor(by) : byProjector(by), rowSource, out!, {
            ...settings,
            keptColumns: settings.keep,
            onRemark: (remark) => warnings.push(remark),
          });
    const clipped = clippedByName(by.featureNames, by.clippedCells);
    warnOfRemarks(command, [...warnings, ...toldOfSkipped(skippedRows)]);
    warnOfClipped(command, clipped);
    const owners = describeOwners(provenance, !isOffline);
    const size = isRegression
      ? `${task.features.length - 1} weights`
      : `${components} ${components === 1 ? 'component' : 'components'}`;
    printResult(command, {
      json: {
        ...(isRegression
          ? { regression: projection.regression }
          : { components, eigenvalues: projection.eigenvalues }),
        rows,
        skippedRows,
        clipped,
        warnings,
        out,
        save,
        evidence,
        provenance,
        // Of reduced rows there is never one.
        differentialPrivacy: { projection: task.differentialPrivacy, reducedRows: null },
      },
      text: `${size}; ${owners}${rowSource === undefined ? '' : `; ${rows} rows ${isRegression ? 'predicted in' : 'reduced to'} ${out}\n${UNCOVERED}`}`,
    });
  });
}

/** A histogram reduces no rows: it is checked, and written where it is to be kept. */
async function keepHistogram(
  command: Command,
  {
    task,
    projection,
    provenance,
    evidence: signed,
  }: Pick<TaskResult, 'task' | 'projection' | 'provenance'> & {
    readonly evidence: Parameters<typeof saveProjection>[1];
  },
  {
    save,
    evidence,
    out,
  }: { readonly save?: string | undefined; evidence?: string | undefined; out?: string | undefined },
  hasTakenPart: boolean,
): Promise<void> {
  if (out !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--out" expected with a projection: task ${task.id} is a histogram, which reduces no rows`,
    );
  const { saveProjection: saveEvidence } = await import('@eigenveil/projection');
  if (save !== undefined) await writeFile(save, `${JSON.stringify(projection, null, 2)}\n`);
  if (evidence !== undefined) await saveEvidence(evidence, signed);
  const { histograms = [], privateRows } = projection;
  printResult(command, {
    json: { histograms: histograms.length, privateRows, save, evidence, provenance },
    text: `${histograms.length} ${histograms.length === 1 ? 'histogram' : 'histograms'}; ${describeOwners(provenance, hasTakenPart)}`,
  });
}

/** The result as the data user gives it to this owner. */
async function fetchedResult(
  command: Command,
  id: string | undefined,
  settings: Omit<TaskSettings, 'userUrl'> & {
    readonly userUrl?: string | undefined;
    readonly wait: boolean;
    readonly waitMinutes: number;
  },
): Promise<TaskResult> {
  const { userUrl } = settings;
  if (id === undefined || userUrl === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"TASK" and "--user-url" expected, or "--projection"',
    );
  return withTask({ ...settings, userUrl }, id, (owner, dataUser, taskId) =>
    settings.wait
      ? interruptible((signal) =>
          owner.result(dataUser, taskId, {
            milliseconds: 60_000 * settings.waitMinutes,
            signal,
            onWait: (reason) => tellWaiting(command, reason),
          }),
        )
      : owner.result(dataUser, taskId),
  );
}

/** The result in a file, by the CSP that is named, or that this owner has enrolled at. */
async function openedResult(
  id: string | undefined,
  {
    file,
    home,
    cspThumbprint,
  }: { readonly file: string; readonly home: string; readonly cspThumbprint?: Thumbprint | undefined },
) {
  const [{ openProjection, SignedProjection }, { thumbprintOf }, { OwnerHome }] = await Promise.all([
    import('@eigenveil/projection'),
    import('@eigenveil/wire'),
    import('../owner/home.ts'),
  ]);
  const evidence = await readSignedFile('--projection', file, SignedProjection);
  if (id !== undefined && evidence.task.id !== taskIdOf(id))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--projection" expected that of task ${id}, got ${evidence.task.id}`,
    );
  const enrolment = cspThumbprint === undefined ? await new OwnerHome(home).enrolment() : undefined;
  const csp = cspThumbprint ?? (enrolment && (await thumbprintOf(enrolment.cspKey)));
  if (csp === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--csp-thumbprint" expected, since ${home} holds no enrolment`,
    );
  return { ...(await openProjection(evidence, csp)), evidence };
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify <TASK>')
    .description('check a result that was fetched before, without any service');
  const configuration = addSettings(command, PREFIX, {
    home: OWNER_SETTINGS.home,
    evidence: {
      schema: z.string().min(1),
      description: 'file that "project --evidence" has written',
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Checks that the CSP has signed the task, has verified this owner's contribution among others, and has countersigned this projection and
no other: owners who see the same digest have the same result. It does not prove what the data user has added up.

Example:
  $ eigenveil-owner verify TASK --evidence evidence.json`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { Evidence } = await import('../owner/result.ts');
    const evidence = await readSignedFile('--evidence', settings.evidence, Evidence);
    if (evidence.task.id !== taskIdOf(id))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"--evidence" expected that of task ${id}, got ${evidence.task.id}`,
      );
    const { provenance } = await withOwner({ ...settings, patienceSeconds: 0 }, await readPolicy(), (owner) =>
      owner.verify(evidence),
    );
    printResult(command, { json: { task: id, ...provenance }, text: describeOwners(provenance, true) });
  });
}

/** Work that the first Ctrl-C or SIGTERM ends in order. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = onShutdown(['SIGINT', 'SIGTERM'], async () => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    stop();
  }
}

/** To people only: with --json standard error holds problems alone. */
function tellWaiting(command: Command, reason: string): void {
  if (command.optsWithGlobals().json !== true) printNote(command, `waiting for the result: ${reason}`);
}

function describeOwners(
  { verifiedOwners, projectionDigest }: TaskResult['provenance'],
  hasTakenPart: boolean,
): string {
  return `${verifiedOwners} owners took part${hasTakenPart ? ', this one among them' : ''}; digest of the result ${projectionDigest}`;
}

/** Before anything is fetched: what cannot be written, or would cost the rows themselves, is the user's to mend. */
async function checkOutputs({
  data,
  query,
  database,
  out,
  save,
  evidence,
}: {
  data?: string | undefined;
  query?: string | undefined;
  database?: string | undefined;
  out?: string | undefined;
  save?: string | undefined;
  evidence?: string | undefined;
}) {
  if (((data ?? query) === undefined) !== (out === undefined))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--data" and "--out" expected together, or "--query" and "--out"',
    );
  if (out === undefined && save === undefined && evidence === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--out", "--save" or "--evidence" expected, or nothing would be kept',
    );
  const { isPattern } = await import('@eigenveil/statistics/files');
  for (const [flag, file] of [
    ['--out', out],
    ['--save', save],
    ['--evidence', evidence],
  ] as const) {
    if (file === undefined) continue;
    await checkCanWrite(flag, file);
    for (const [source, read] of [
      ['--data', data],
      ['--query', query],
      ['--database', database],
    ] as const) {
      if (read === undefined) continue;
      const isOneOfMany = source === '--data' && isPattern(read) && matchesGlob(resolve(file), resolve(read));
      const isInFolder = source === '--data' && resolve(file).startsWith(`${resolve(read)}${sep}`);
      if (isOneOfMany || isInFolder || resolve(file) === resolve(read))
        throw new CodedError(
          COMMAND_CODES.ERR_CONFIGURATION,
          `"${flag}" expected another file than "${source}"`,
        );
    }
  }
  for (const [flag, file] of [
    ['--data', data],
    ['--query', query],
  ] as const) {
    if (file === undefined || isPattern(file)) continue;
    await access(file, constants.R_OK).catch((cause: unknown) => {
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"${flag}" expected a file that can be read, got ${file}`,
        { cause },
      );
    });
  }
}
