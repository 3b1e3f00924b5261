/**
 * The knowledge that numbers of rows by class give where each owner has a class of its own: the number of each owner's rows, to the data user, and to owners where
 * the result is released. Whoever has them of two tasks looks for the same owner in both.
 */
import { least, most, only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import { COLUMNS, columnsOf, interval, ofBothSets, SHARE } from '../figures.ts';
import { type Interval, shareOf, type Verdict, verdictOf } from '../intervals.ts';
import { inTime, KEYS, type People, WALK } from '../people.ts';
import { attackedIn, type OfTemplates, planTemplates } from './attacked.ts';

/** The rows that both tasks count. */
const COUNTED = ['the same rows', 'the first 60 % and all rows', 'at most the median number'] as const;
type Counted = (typeof COUNTED)[number];

interface CountLinkage {
  readonly dataset: string;
  readonly counted: Counted;
  /** Owners that keep to it only. */
  readonly minimumClassRows: number;
  readonly owners: number;
  /** Owners that stay away: whoever knows their policy learns that they have fewer rows. */
  readonly away: number;
  /** Owners whose number nobody else has. */
  readonly unique: Interval;
  /** Owners found again by their number alone, a tie counting its share. */
  readonly rankOne: Interval;
  readonly chance: number;
  readonly verdict: Verdict;
}

export function linkCounts(
  { dataset, people }: People,
  counted: Counted,
  minimumClassRows = 1,
): CountLinkage {
  const all = people.map(({ rows }) => rows.length).filter((count) => count >= minimumClassRows);
  if (all.length === 0)
    throw new RangeError(`expected owners with at least ${minimumClassRows} rows, got none`);
  const [first, second] = countsOf(all, people, counted, minimumClassRows);
  const n = first.length;
  // Owners' numbers grow in proportion at most: the nearest rank is the best guess, and equal numbers are guessed among.
  const [ranks, others] = [rankedBy(first), rankedBy(second)];
  const hits = ranks.map((rank, i) => {
    const distances = others.map((other) => Math.abs(other - rank));
    const least = Math.min(...distances);
    return distances[i] === least ? 1 / distances.filter((distance) => distance === least).length : 0;
  });
  const rankOne = shareOf(
    hits.reduce((sum, hit) => sum + hit, 0),
    n,
  );
  return {
    dataset,
    counted,
    minimumClassRows,
    owners: n,
    away: people.length - n,
    unique: shareOf(first.filter((count) => first.filter((other) => other === count).length === 1).length, n),
    rankOne,
    chance: 1 / n,
    verdict: verdictOf(rankOne, 1 / n),
  };
}

function countsOf(
  all: readonly number[],
  people: People['people'],
  counted: Counted,
  minimum: number,
): readonly [number[], number[]] {
  switch (counted) {
    case 'the same rows':
      return [[...all], [...all]];
    case 'the first 60 % and all rows': {
      const enough = people.filter(({ rows }) => rows.length >= minimum);
      const earlier = enough.map(({ rows }) => inTime(rows).early.length + inTime(rows).middle.length);
      return [earlier, [...all]];
    }
    case 'at most the median number': {
      const most = all.toSorted((a, b) => a - b)[all.length >> 1]!;
      const capped = all.map((count) => Math.min(count, most));
      return [capped, capped];
    }
  }
}

/** The mean place of equal numbers among all. */
function rankedBy(counts: readonly number[]): number[] {
  return counts.map((count) => {
    const below = counts.filter((other) => other < count).length;
    return below + counts.filter((other) => other === count).length / 2;
  });
}

interface Case extends OfTemplates {
  /** The least numbers of rows that an owner contributes. */
  readonly minima: string;
}

const MINIMA: Readonly<Record<string, readonly number[]>> = { [WALK]: [1, 50, 60], [KEYS]: [1, 50] };
const FEWER = 2;

export const counts = defineStudy<Case>({
  id: 'recognition/counts',
  plan: (asked) =>
    planTemplates(asked, 'counts', ({ dataset, people, rows }, scale) => {
      // The mean number leaves somebody.
      const all = MINIMA[dataset] ?? [1, Math.floor(rows / people)];
      return { minima: (scale === 'quick' ? all.slice(0, FEWER) : all).join(' ') };
    }),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: () => 1,
  async *measure(chosen, bench) {
    const { people } = await attackedIn(chosen, bench);
    for (const minimum of chosen.minima.split(' ').map(Number))
      for (const counted of COUNTED) {
        const { owners, away, unique, rankOne, chance, verdict } = linkCounts(people, counted, minimum);
        yield {
          ...{ counted, minimum, owners, away },
          ...{ ...columnsOf('unique', unique), ...columnsOf('found', rankOne), chance, verdict },
        };
      }
  },
  columns: {
    ...COLUMNS,
    counted: { title: 'both tasks count' },
    minimum: { title: '`minimumClassRows`' },
  },
  tables: {
    counts: {
      caption: 'Owners found again by their number of rows',
      rows: ['dataset', 'counted', 'minimum'],
      cells: {
        owners: only('owners'),
        'stay away': only('away'),
        'unique, %': interval('unique', SHARE),
        'found, %': interval('found', SHARE),
        chance: only('chance', SHARE),
        verdict: only('verdict'),
      },
    },
  },
  facts: {
    ...ofBothSets({
      found: { where: { counted: 'the same rows', minimum: 1 }, figure: only('found', SHARE) },
      chance: { where: { counted: 'the same rows', minimum: 1 }, figure: only('chance', SHARE) },
      most: { figure: most('found', SHARE) },
    }),
    walkLeastWithMinimum: {
      where: ({ dataset, counted, minimum }) =>
        dataset === WALK && counted === 'the same rows' && minimum !== 1,
      figure: least('found', SHARE),
    },
  },
  holds: {
    numbersLink: (fact) => fact('walkFound') > 10 * fact('walkChance'),
    minimumDoesNotHelp: (fact) => fact('walkLeastWithMinimum') > 0.5,
    equalNumbersHide: (fact) => Math.abs(fact('keysMost') - fact('keysChance')) < 1e-9,
  },
  words: new URL('counts.md', import.meta.url),
});
