/** The part that all studies of error rates share: cases by data set, and the settings that validation chose for each arm. */
import type { Asked, Bench, Omission, Plan } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { type People, peopleIn, peopleOfRun } from '../people.ts';
import { type Ranked, rankAll, settingOf } from '../scoring/arms.ts';
import { type Final, finalOf } from '../scoring/protocol.ts';
import { gridOf, type Setting } from '../scoring/settings.ts';

export interface OfPeople extends Tidy {
  readonly dataset: string;
  readonly people: number;
  /** The grid that validation chooses from. */
  readonly grid: Scale;
}

/** One case for each data set, or as many as `more` says. */
export async function planFor<More extends Tidy>(
  asked: Asked,
  what: string,
  more: (people: People) => readonly More[],
): Promise<Plan<OfPeople & More>> {
  const { sets, omissions } = await peopleOfRun(asked, what);
  const cases = sets.flatMap((people) =>
    more(people).map((own) => ({
      dataset: people.dataset,
      people: people.people.length,
      grid: asked.scale,
      ...own,
    })),
  );
  return { cases, omissions };
}

/** The words of a study of sessions about the user's own rows, whose file names none. */
export const sessionsMissing = ({ own }: Asked, what: string): readonly Omission[] =>
  own === undefined
    ? []
    : [{ what: `${what}, sessions`, why: 'no column names them: the test rows of a person count as one' }];

export interface ChosenPeople {
  readonly people: People;
  readonly ranked: Ranked;
  readonly final: Final;
  /** The setting of an arm that validation chose. */
  setting(arm: string): Setting;
}

/** By people and grid: chosen once in a process, however many cases need it; always the same. */
const known = new WeakMap<People, Map<Scale, Promise<Ranked>>>();

export async function chosenFor(
  { dataset, grid }: Pick<OfPeople, 'dataset' | 'grid'>,
  { own, note }: Bench,
): Promise<ChosenPeople> {
  const people = await peopleIn(dataset, own);
  const byGrid = known.get(people) ?? new Map<Scale, Promise<Ranked>>();
  known.set(people, byGrid);
  const ranking = byGrid.get(grid) ?? rankAll(people, gridOf(people, grid), note);
  byGrid.set(grid, ranking);
  const ranked = await ranking;
  return { people, ranked, final: finalOf(people), setting: (arm) => settingOf(ranked, arm) };
}
