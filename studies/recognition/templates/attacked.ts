/** The part that all studies of templates share: cases by data set, and the scene of a case. */
import type { Asked, Bench, Plan } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { KEYS, type People, peopleIn, peopleOfRun, WALK } from '../people.ts';
import type { Kind } from './projections.ts';
import { type Scene, sceneOf } from './scene.ts';

export interface OfTemplates extends Tidy {
  readonly dataset: string;
  /** The first ones. */
  readonly people: number;
  readonly rows: number;
  readonly features: number;
  /** The number of components that recognition is measured with. */
  readonly components: number;
}

/** The number of people in a quick run, which only shows that it runs. */
const FEW_PEOPLE = 12;
const FEW_COMPONENTS = 3;
/** By data set, and of others at most. */
const COMPONENTS: Readonly<Record<string, number>> = { [KEYS]: 20, [WALK]: 12 };
const USUAL_COMPONENTS = 12;

/** The size that a projection of these people has room for: a DCA has fewer components than people. */
export const fitting = (size: number, { features, people }: { features: number; people: number }): number =>
  Math.min(size, features, people - 1);

export async function planTemplates<More extends Tidy>(
  asked: Asked,
  what: string,
  more: (of: OfTemplates, scale: Scale) => More,
): Promise<Plan<OfTemplates & More>> {
  const { sets, omissions } = await peopleOfRun(asked, what);
  const cases = sets.map(({ dataset, features, people: all }) => {
    const some = asked.scale === 'quick' ? all.slice(0, FEW_PEOPLE) : all;
    const size = asked.scale === 'quick' ? FEW_COMPONENTS : (COMPONENTS[dataset] ?? USUAL_COMPONENTS);
    const of = {
      dataset,
      people: some.length,
      rows: some.reduce((sum, { rows }) => sum + rows.length, 0),
      features: features.length,
      components: fitting(size, { features: features.length, people: some.length }),
    };
    return { ...of, ...more(of, asked.scale) };
  });
  return { cases, omissions };
}

export interface Attacked {
  readonly people: People;
  readonly scene: Scene;
  readonly kind: Kind;
}

export async function attackedIn(
  { dataset, people: count, components }: OfTemplates,
  { own }: Bench,
): Promise<Attacked> {
  const all = await peopleIn(dataset, own);
  const people = { ...all, people: all.people.slice(0, count) };
  return { people, scene: sceneOf(people), kind: { method: 'dca', components } };
}
