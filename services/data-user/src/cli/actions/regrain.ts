/**
 * Rewrites an older proposal with grains that it did not declare or declared differently: everything else in
 * it stays as it is.
 */

import { type Command, printResult, readJsonFile, warnOfRemarks } from '@eigenveil/command';
import { DEFAULT_FRACTION_BITS } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { ReadingOptions } from '@eigenveil/statistics';
import { recordsOfFiles } from '@eigenveil/statistics/files';
import { CODES } from '@eigenveil/wire/errors';
import { z } from 'zod';
import { columnNamed, namesOfColumn } from '../../advice/draft/draft.ts';
import {
  describeGrains,
  type Grain,
  namesColumn,
  parseGrains,
  withCells,
  withGrains,
} from '../../advice/draft/grains.ts';
import { sampleOf } from '../../advice/draft/sample.ts';
import { asConfiguration, tellNotes } from './proposal.ts';

/**
 * The members of a proposal's file that are needed here. A draft that lacks a consent could not be opened as
 * a task, but can get its grains all the same.
 */
const OlderProposal = z.looseObject({
  features: z
    .array(
      z.looseObject({
        name: z.string(),
        min: z.number(),
        max: z.number(),
        count: z.int().min(2).optional(),
        from: z.int().min(0).optional(),
      }),
    )
    .min(1),
  fractionBits: z.int().optional(),
});
type OlderProposal = z.infer<typeof OlderProposal>;

interface RegrainSettings extends ReadingOptions {
  readonly data: string;
  readonly grain: readonly string[];
  readonly ignore: readonly string[];
}

/** Prints an older proposal with grains. */
export async function printRegrained(
  command: Command,
  file: string,
  settings: RegrainSettings,
): Promise<void> {
  const older = await readJsonFile('FILE', file, OlderProposal);
  const { features, remarks } = await asConfiguration(() => regrained(older, settings));
  warnOfRemarks(command, remarks);
  await tellNotes(command, async () => describeGrains(features));
  const json = { ...older, features };
  printResult(command, { json, text: JSON.stringify(json, null, 2) });
}

/**
 * Returns the features of an older proposal with grains, and remarks on what looks like a mistake but may not
 * be one.
 */
async function regrained(older: OlderProposal, settings: RegrainSettings) {
  const { ignore, grain, data, ...reading } = settings;
  const asked = parseGrains(grain);
  const { columns } = await sampleOf(recordsOfFiles(data, reading), {
    ...reading,
    ...(ignore.length > 0 && { ignore }),
  });
  const single = older.features.flatMap((feature, entry) =>
    namesOf(feature).map((name) => ({ entry, feature: { name, min: feature.min, max: feature.max } })),
  );
  const own = single.map(({ feature: { name } }) => columnNamed(columns, name));
  const unknown = single.filter(
    ({ feature }, i) => own[i] === undefined && !asked.some(({ name }) => namesColumn(name, [feature.name])),
  );
  if (unknown.length > 0)
    throw new CodedError(
      CODES.ERR_TASK_INVALID,
      `the file expected columns of all features, or --grain for those that it lacks: ${unknown
        .slice(0, 3)
        .map(({ feature }) => JSON.stringify(feature.name))
        .join(', ')}${unknown.length > 3 ? ` and ${unknown.length - 3} more` : ''}`,
    );
  const { features, remarks } = withGrains(
    single.map(({ feature }) => feature),
    own,
    asked,
    (column) => namesOfColumn(columns, column),
  );
  const cells = withCells(features, older.fractionBits ?? DEFAULT_FRACTION_BITS);
  return {
    remarks,
    features: older.features.map((feature, entry) => ({
      ...feature,
      grain: coarsest(single.flatMap((it, i) => (it.entry === entry ? [cells[i]!.grain!] : []))),
    })),
  };
}

function namesOf({ name, count, from = 0 }: OlderProposal['features'][number]): string[] {
  if (count === undefined) return [name];
  return Array.from({ length: count }, (_, i) => name.replace('#', () => `${from + i}`));
}

function coarsest(grains: readonly Grain[]): Grain {
  const steps = grains.filter((grain) => grain !== 'cell');
  return steps.length === 0 ? 'cell' : Math.max(...steps);
}
