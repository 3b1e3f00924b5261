/**
 * The work of `project`: a result is fetched or read from a file, checked and kept, and rows are reduced by it.
 */
import { access, constants, writeFile } from 'node:fs/promises';
import { matchesGlob, resolve, sep } from 'node:path';
import {
  beforeSignal,
  COMMAND_CODES,
  type Command,
  type Configuration,
  checkCanWrite,
  clippedByName,
  isJson,
  printNote,
  printResult,
  untilInterrupted,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { readResult } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { openProjection, SignedProjection, saveProjection, tellingOf } from '@eigenveil/projection';
import { isPattern, STANDARD_INPUT } from '@eigenveil/statistics/files';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { underTitle } from '@eigenveil/task/title';
import { thumbprintOf } from '@eigenveil/wire';
import { OwnerHome } from '../../owner/home.ts';
import type { TaskResult } from '../../owner/result.ts';
import { reduceRows, removeDrafts } from '../../rows/reduce.ts';
import { rowsOf } from '../../rows/sources.ts';
import type { PROJECT_SETTINGS } from '../settings.ts';
import { openTask } from './owner.ts';
import { describeOwners, readEvidence } from './verify.ts';

const UNCOVERED =
  'note: no guarantee of differential privacy covers reduced rows: do not publish them, keep them like the rows themselves';

type ProjectSettings = Configuration<typeof PROJECT_SETTINGS>;

/** A result with what was signed about it. */
type OpenedResult = Omit<TaskResult, 'evidence'> & { readonly evidence: SignedProjection };

/** Fetches a result or takes it from a file, keeps it, and reduces rows by it. */
export async function projectRows(
  command: Command,
  settings: ProjectSettings,
  id: string | undefined,
): Promise<void> {
  const { out, save, evidence } = settings;
  const rowSource = (settings.data ?? settings.query) === undefined ? undefined : rowsOf(settings);
  await checkOutputs(settings);
  const isOffline = settings.projection !== undefined;
  const result: OpenedResult = isOffline
    ? await openedResult(settings.projection!, id, settings)
    : await fetchedResult(command, id, settings);
  const { task, projection, basis, provenance } = result;
  const { noun, size, summary, rows: reducing } = tellingOf(task);
  if (reducing === undefined && out !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--out" expected with a projection: task ${task.id} is ${noun}, which reduces no rows`,
    );
  if (save !== undefined) await writeFile(save, `${JSON.stringify(projection, null, 2)}\n`);
  if (evidence !== undefined) await saveProjection(evidence, result.evidence);
  const kept = { save, evidence, provenance };
  const told = readResult(projection);
  const { title } = task;
  const text = underTitle(title, `${size(told)}; ${describeOwners(provenance, !isOffline)}`);
  if (reducing === undefined) {
    printResult(command, { json: { title, ...summary(told), ...kept }, text });
    return;
  }
  const by = reducing.by({ task, projection }, basis);
  const warnings: string[] = [];
  using _drafts = beforeSignal(() => out !== undefined && removeDrafts(out));
  const { rows, skippedRows } =
    rowSource === undefined
      ? { rows: 0, skippedRows: 0 }
      : await reduceRows(by, rowSource, out!, {
          ...settings,
          keptColumns: settings.keep,
          onRemark: (remark) => warnings.push(String(remark)),
        });
  const names = by.features.map(({ name }) => name);
  const clipped = clippedByName(names, by.clippedCells());
  warnOfRemarks(command, [...warnings, ...toldOfSkipped(skippedRows)]);
  warnOfClipped(command, clipped);
  printResult(command, {
    json: {
      title,
      ...summary(told),
      rows,
      skippedRows,
      clipped,
      warnings,
      out,
      ...kept,
      // No guarantee of differential privacy covers reduced rows.
      differentialPrivacy: { projection: task.differentialPrivacy, reducedRows: null },
    },
    text: `${text}${rowSource === undefined ? '' : `; ${rows} rows ${reducing.done} ${out}\n${UNCOVERED}`}`,
  });
}

/** Asks the data user for the result, for as long as the settings allow. */
async function fetchedResult(
  command: Command,
  id: string | undefined,
  settings: ProjectSettings,
): Promise<TaskResult> {
  const { userUrl } = settings;
  if (id === undefined || userUrl === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"TASK" and "--user-url" expected, or "--projection"',
    );
  await using session = await openTask({ ...settings, userUrl }, id);
  const { owner, dataUser, taskId } = session;
  if (!settings.wait) return await owner.result(dataUser, taskId);
  using interrupted = untilInterrupted();
  return await owner.result(dataUser, taskId, {
    milliseconds: 60_000 * settings.waitMinutes,
    signal: interrupted.signal,
    onWait: (reason) => {
      if (!isJson(command)) printNote(command, `waiting for the result: ${reason}`);
    },
  });
}

/** Opens the result in a file, signed by the CSP that is named or that this owner has enrolled at. */
async function openedResult(
  file: string,
  id: string | undefined,
  { home, cspThumbprint }: ProjectSettings,
): Promise<OpenedResult> {
  const evidence = await readEvidence('--projection', file, SignedProjection, id);
  const enrolment = cspThumbprint === undefined ? await new OwnerHome(home).enrolment() : undefined;
  const csp = cspThumbprint ?? (enrolment && (await thumbprintOf(enrolment.cspKey)));
  if (csp === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--csp-thumbprint" expected, since ${home} holds no enrolment`,
    );
  return { ...(await openProjection(evidence, csp)), evidence };
}

/**
 * Refuses, before anything is fetched, files that cannot be written or that would replace the rows
 * themselves.
 */
async function checkOutputs({ data, query, database, out, save, evidence }: ProjectSettings): Promise<void> {
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
    if (flag === '--data' && file === STANDARD_INPUT) continue;
    await access(file, constants.R_OK).catch((cause: unknown) => {
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"${flag}" expected a file that can be read, got ${file}`,
        { cause },
      );
    });
  }
}
