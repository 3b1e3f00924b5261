/**
 * The part of a draft that takes its ranges from a histogram's noisy counts, so that nobody had to know them,
 * and no row tells them.
 */

import { edgesOf, histogramsOf, methodNameOf, releaseNoiseOf, SERVERS, strategyOf } from '@eigenveil/methods';
import { CodedError, faulty, type Words, words } from '@eigenveil/platform';
import {
  LARGEST_LEVEL,
  type NoisyHistogram,
  type PrivateRange,
  prefixDeviation,
  privateRange,
} from '@eigenveil/release';
import { CODES } from '@eigenveil/wire/errors';
import type { DraftBasis } from './basis.ts';
import type { Draft } from './draft.ts';
import { draftTerm } from './sample.ts';

/**
 * The part of a range's width that is added at each end where the outer domain has room: a quantile is not
 * the end of the rows.
 */
export const WIDENED = 0.1;

/** Shares of the rows: 0 < lower <= LARGEST_LEVEL, 1 - LARGEST_LEVEL <= upper < 1. */
export interface AskedLevels {
  readonly lower: number;
  readonly upper: number;
}

/** A histogram's result: the last link is its own. */
interface CountedBasis extends Pick<DraftBasis, 'digest'> {
  readonly links: readonly Pick<DraftBasis['links'][number], 'task' | 'projection'>[];
}

export interface RangedDraft {
  readonly draft: Draft;
  /** Words for what was asked, attained and spent. */
  readonly notes: readonly string[];
}

/**
 * Returns the same draft with ranges from the lower edge of the bin of one quantile to the upper edge of that
 * of the other, widened. Levels are what is asked, or what the noise allows: see `privateRange`.
 * @throws ERR_TASK_INVALID for another task than a histogram, features that it does not have, and where noise
 *   leaves no range
 */
export function draftRanged({ digest, links }: CountedBasis, draft: Draft, asked: AskedLevels): RangedDraft {
  const { task, projection } = links.at(-1)!;
  const { method, differentialPrivacy } = task;
  if (!('strategy' in method) || differentialPrivacy === null)
    throw invalid(
      words`${draftTerm('draftRangesFrom', '"--ranges-from"')} expected a task of histogram, got ${methodNameOf(task)}`,
    );
  checkLevels(asked);
  const strategy = strategyOf(method);
  const noise = releaseNoiseOf(task);
  const { histograms = [], privateRows } = projection;
  const found = new Map<
    string,
    { readonly range: PrivateRange; readonly min: number; readonly max: number }
  >();
  const refused: string[] = [];
  for (const [h, histogram] of histogramsOf(task).entries()) {
    const noisy: NoisyHistogram = { strategy, noise, servers: SERVERS, counts: histograms[h]!.counts };
    // Cells of all features that share it.
    const rows = (privateRows?.rows ?? 0) * histogram.features.length;
    const range = privateRange(noisy, { ...asked, rows });
    const names = histogram.features.map((i) => task.features[i]!.name);
    if (range === undefined) {
      refused.push(...names);
      continue;
    }
    const edges = edgesOf(method, histogram);
    const [from, to] = [edges[range.from]!, edges[range.to]!];
    const by = WIDENED * (to - from);
    const [min, max] = [Math.max(histogram.min, from - by), Math.min(histogram.max, to + by)];
    for (const name of names) found.set(name, { range, min, max });
  }
  const missing = draft.features.filter(({ name }) => !found.has(name) && !refused.includes(name));
  if (missing.length > 0)
    throw invalid(
      `task ${task.id} expected with histograms of all features: of ${missing.map(({ name }) => JSON.stringify(name)).join(', ')} it has none`,
    );
  const few = draft.features.filter(({ name }) => refused.includes(name));
  const deviation = prefixDeviation({ strategy, noise, servers: SERVERS });
  const needed = (level: number) => Math.ceil((2 * deviation) / level).toLocaleString('en-US');
  const least = Math.min(asked.lower, 1 - asked.upper);
  if (few.length > 0)
    throw invalid(
      `the noise of task ${task.id} leaves no range of ${few.map(({ name }) => JSON.stringify(name)).join(', ')}: it takes about ${needed(LARGEST_LEVEL)} rows, and ${needed(least)} for what is asked, and there are about ${Math.round(privateRows?.rows ?? 0)}`,
    );
  const used = draft.features.map(({ name }) => found.get(name)!);
  const [below, above] = (['below', 'above'] as const).map((side) =>
    Math.max(...used.map(({ range }) => range[side])),
  );
  const percent = (share: number) => `${Number((100 * share).toPrecision(2))} %`;
  return {
    draft: {
      ...draft,
      rangesFrom: digest,
      features: draft.features.map((feature) => {
        const { min, max } = found.get(feature.name)!;
        return { ...feature, min, max };
      }),
    },
    notes: [
      `ranges come from the noisy counts of task ${task.id}, widened by ${percent(WIDENED)} at each end within its own: about ${percent(below!)} of the rows at most lie below and ${percent(above!)} above, and are moved to the ends${below! > asked.lower || above! > 1 - asked.upper ? `; for the levels asked it takes about ${needed(least)} rows` : ''}`,
      `that task has spent epsilon ${differentialPrivacy.epsilon} with delta ${differentialPrivacy.delta} of the same rows: what this one spends comes on top`,
    ],
  };
}

/** Refuses each level by itself. */
function checkLevels({ lower, upper }: AskedLevels): void {
  const [most, least] = [`${LARGEST_LEVEL}`, `${1 - LARGEST_LEVEL}`];
  const faults = [
    {
      path: ['lower'],
      holds: lower > 0 && lower <= LARGEST_LEVEL,
      words: draftTerm('draftLower', `"--lower" expected from above 0 to ${most}`, most),
    },
    {
      path: ['upper'],
      holds: upper >= 1 - LARGEST_LEVEL && upper < 1,
      words: draftTerm('draftUpper', `"--upper" expected from ${least} to below 1`, least),
    },
  ].filter(({ holds }) => !holds);
  if (faults.length > 0) throw faulty(CODES.ERR_TASK_INVALID, faults);
}

function invalid(message: Words | string): CodedError {
  return new CodedError(CODES.ERR_TASK_INVALID, message);
}
