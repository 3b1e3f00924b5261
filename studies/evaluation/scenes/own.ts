/** A scene of the user's own: a task's proposal, and rows that stand in for those of its owners. */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { parseDecimal } from '@eigenveil/statistics';
import { checkTask, ProposalFile, type TaskProposal } from '@eigenveil/task';
import { readRecords } from '../../demo/dataset.ts';
import { EVALUATION_CODES } from '../codes.ts';
import type { Scene, SceneRow } from '../scene.ts';
import { dealtRows } from './split.ts';

export interface OwnSource {
  /** A proposal, as `eigenveil-user task create` takes it. */
  readonly task: string;
  /** CSV with a header row: everybody's rows. */
  readonly data: string;
  /** Column that the projection is for. Default: the task's first labelling. */
  readonly label?: string;
  /** Column that shall not be guessed. Default: the task's second labelling. */
  readonly privateLabel?: string;
  /** Column that says whose row it is. Default: every row is a person's own. */
  readonly person?: string;
  /** Default: the task's minimumOwners. */
  readonly owners?: number;
  /** Default: the task's. */
  readonly twoParty?: TaskProposal['twoParty'];
}

/**
 * Reads the files and deals the rows by the seed.
 * @throws ERR_SCENE naming file, column and line, never a value
 */
export async function ownScene(source: OwnSource, seed: string): Promise<Scene> {
  const proposal = await proposalOf(source);
  const utilityLabel = source.label ?? proposal.labellings[0]?.column;
  const privateLabel = source.privateLabel ?? proposal.labellings[1]?.column;
  const columns = [utilityLabel, privateLabel, ...proposal.labellings.map(({ column }) => column)].filter(
    (column) => column !== undefined,
  );
  const rows = await rowsOf(source, proposal, [...new Set(columns)]);
  for (const column of columns) checkLabels(source.data, rows, column);
  const owners = source.owners ?? proposal.minimumOwners;
  const { minimumOwners, maximumOwners } = proposal;
  if (owners < minimumOwners || owners > maximumOwners)
    throw wrong(
      `"--owners" expected the task's minimumOwners ${minimumOwners} to its maximumOwners ${maximumOwners}, got ${owners}`,
    );
  const dealt = dealtOf(source.data, rows, owners, seed);
  const largest = Math.max(...dealt.owners.map((own) => own.length));
  if (largest > proposal.maximumSamplesPerOwner)
    throw wrong(
      `${source.task}: "maximumSamplesPerOwner" expected at least ${largest}, the rows that an owner of ${owners} gets`,
    );
  return { name: basename(source.data), proposal, ...dealt, utilityLabel, privateLabel };
}

async function proposalOf({ task: file, twoParty }: OwnSource): Promise<TaskProposal> {
  try {
    const proposal = ProposalFile.parse(JSON.parse(await readFile(file, 'utf8')));
    const chosen = { ...proposal, ...(twoParty && { twoParty }) };
    checkTask(chosen);
    return chosen;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError(
      EVALUATION_CODES.ERR_SCENE,
      `"--task" expected a task's proposal, got ${file}: ${why}`,
      {
        cause,
      },
    );
  }
}

async function rowsOf(
  { data: file, person }: OwnSource,
  { features, labellings }: TaskProposal,
  labels: readonly string[],
): Promise<SceneRow[]> {
  const [header, ...records] = await readRecords(file).catch((cause: Error) => {
    throw new CodedError(
      EVALUATION_CODES.ERR_SCENE,
      `"--data" expected a CSV file, got ${file}: ${cause.message}`,
      {
        cause,
      },
    );
  });
  const at = (column: string) => {
    const index = header?.indexOf(column) ?? -1;
    if (index < 0) throw wrong(`${file}: expected a column ${JSON.stringify(column)}, has none`);
    return index;
  };
  const cells = features.map(({ name }) => ({ name, at: at(name) }));
  const marks = labels.map((column) => ({
    column,
    at: at(column),
    classes: labellings.find((labelling) => labelling.column === column)?.classes,
  }));
  const who = person === undefined ? undefined : at(person);
  return records.map((record, i): SceneRow => {
    // Lines as an editor counts them, after the header.
    const place = `${file}, line ${i + 2}`;
    return {
      values: cells.map(({ name, at: column }) => {
        const value = parseDecimal(record[column] ?? '');
        if (value === undefined || !Number.isFinite(value))
          throw wrong(
            `${place}: ${JSON.stringify(name)} expected a number; leave rows with missing values out`,
          );
        return value;
      }),
      labels: Object.fromEntries(
        marks.map(({ column, at: index, classes }) => {
          const label = record[index] ?? '';
          if (label === '' || classes?.includes(label) === false)
            throw wrong(
              `${place}: ${JSON.stringify(column)} expected ${classes ? 'a class of the task' : 'a label'}`,
            );
          return [column, label];
        }),
      ),
      person: who === undefined ? `${i}` : record[who]!,
    };
  });
}

/** A task's labelling has 2 to 100 classes; a guess of one label, or of everybody's own, would say nothing either. */
function checkLabels(file: string, rows: readonly SceneRow[], column: string): void {
  const classes = new Set(rows.map(({ labels }) => labels[column])).size;
  if (classes < 2 || classes > 100)
    throw wrong(`${file}: ${JSON.stringify(column)} expected 2 to 100 different labels, has ${classes}`);
}

function dealtOf(file: string, rows: readonly SceneRow[], owners: number, seed: string) {
  try {
    return dealtRows(rows, owners, `${seed}/own`);
  } catch (cause) {
    throw new CodedError(EVALUATION_CODES.ERR_SCENE, `${file}: ${(cause as Error).message}`, { cause });
  }
}

const wrong = (message: string) => new CodedError(EVALUATION_CODES.ERR_SCENE, message);
