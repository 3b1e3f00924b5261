/** Experiments that search recorded views for what must not be in them. */

import { count, mean, sum as total } from '../../instrument/figure.ts';
import type { Table } from '../../instrument/report/document.ts';
import { shareOf } from '../../recognition/intervals.ts';
import { Draws } from '../draws.ts';
import type { Test, Unworded } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import { recordTable } from '../shown.ts';
import { honestRuns, type RecordedRun, TOGETHER, tooLong } from './runs.ts';
import { finds, forbiddenTo, type Search, searchIn } from './search.ts';
import type { Secrets } from './secrets.ts';

/** Bytes that somebody sees in one run, and what must not be in them. */
export interface Searched {
  /** Such as `owner 2`. */
  readonly who: string;
  readonly contents: readonly Buffer[];
  readonly secrets: readonly Secrets[];
}

interface SearchExperiment extends Pick<Unworded, 'id' | 'attacker' | 'secret' | 'claims'> {
  /** The searches in a run; none where the run's protocol promises nothing of the kind. */
  searched(run: RecordedRun): readonly Searched[];
  /** Beyond tasks that are too long to record. */
  omits?(scene: Scene): string | undefined;
}

/** An experiment with expectation `holds`, over the honest runs of a scene. */
export function searchExperiment({ searched, omits, ...described }: SearchExperiment): Unworded {
  return {
    ...described,
    kind: 'attack',
    expectation: 'holds',
    unit: 'run',
    together: TOGETHER,
    omits: (scene) => omits?.(scene) ?? tooLong(scene),
    scenes: ['pima'],
    async run(setting) {
      const runs = await honestRuns(setting);
      setting.note('searching what was recorded');
      return searchRuns(
        runs.map((run) => ({ run, seen: searched(run) })).filter(({ seen }) => seen.length > 0),
        new Draws(setting.seed),
      );
    },
  };
}

/** With one form of every secret of every run to be planted, this many are. */
const PLANTED = 200;
const LEAST_POWER = 0.8;

/**
 * Returns what a search over whole runs says: p is the union bound over all searches of the chance that puts what was found there.
 * @param runs at least one, each with something that was searched
 */
export function searchRuns(
  runs: readonly { readonly run: RecordedRun; readonly seen: readonly Searched[] }[],
  draws: Draws,
): Test {
  const searches = runs.flatMap(({ run, seen }) =>
    seen.map((it) => ({ run, ...it, results: searchIn(it.contents, it.secrets) })),
  );
  const results = searches.flatMap((it) => it.results);
  const leaking = runs.filter(({ run }) =>
    searches.some((it) => it.run === run && it.results.some(({ found }) => found.length > 0)),
  );
  const { value, low, high } = shareOf(leaking.length, runs.length);
  const power = powerOf(searches, draws);
  const sought = sum(results.map((it) => it.sought));
  return {
    kind: 'test',
    p: Math.min(1, results.length * Math.min(...results.map(({ chance }) => chance))),
    n: runs.length,
    distance: { value, low, high },
    detectable:
      power >= LEAST_POWER
        ? { leak: 'one of the secrets, in one of its forms, once in all that was searched', size: 1 / sought }
        : undefined,
    facts: {
      'bytes searched': sum(searches.map(({ contents }) => sum(contents.map(({ length }) => length)))),
      'secrets sought': sought,
      'secrets not sought': sum(results.map((it) => it.count - it.sought)),
      'secrets found': sum(results.map((it) => it.found.length)),
      'share found of those planted': power,
    },
    blocks: searchedTable(searches),
  };
}

function powerOf(searches: readonly Searched[], draws: Draws): number {
  const { contents, secrets } = searches[draws.below(searches.length)]!;
  const forms = draws.shuffled(secrets.flatMap((it) => it.forms)).slice(0, PLANTED);
  return forms.length === 0 ? 0 : finds(contents, forms, draws).value;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function searchedTable(
  searches: readonly (Searched & { run: RecordedRun; results: readonly Search[] })[],
): Table[] {
  const records = searches.map(({ run, who, contents, results }) => ({
    ...{ protocol: run.task.twoParty, 'seen by': who },
    bytes: sum(contents.map(({ length }) => length)),
    secrets: sum(results.map((it) => it.sought)),
    found: sum(results.map((it) => it.found.length)),
  }));
  return recordTable(
    {
      caption: 'What was searched in how many runs, and what was found.',
      rows: ['protocol', 'seen by'],
      cells: {
        runs: count,
        'bytes of a run': mean('bytes', { digits: 0 }),
        'secrets of a run': mean('secrets', { digits: 0 }),
        found: total('found', { digits: 0 }),
      },
    },
    records,
  );
}

/** Secrets of these kinds that the party must not see. */
export function secretsAgainst(
  { secrets }: RecordedRun,
  party: Parameters<typeof forbiddenTo>[0],
  ...kinds: readonly Secrets['kind'][]
): Secrets[] {
  return forbiddenTo(party, secrets).filter(({ kind }) => kinds.includes(kind));
}
