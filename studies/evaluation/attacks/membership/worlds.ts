/**
 * Draws data sets with a candidate and without, and says over which scenes that cannot be tried. Each trial draws people again, so that trials are independent
 * of one another, given the people that there are to draw from. One result would decide many candidates at once, who depend on each other.
 */
import type { Draws } from '../../draws.ts';
import { byPerson, type Person, type Scene, type SceneRow } from '../../scene.ts';

interface Worlds {
  readonly candidate: Person;
  /** Rows of everybody but the candidate, in either world. */
  readonly others: readonly SceneRow[];
  /** The person whose rows are there in place of the candidate's. */
  readonly stranger: Person;
}

/** Members and outsiders: who is in the data of a trial is drawn from both. The public sample stays with the attacker. */
export function poolOf({ owners, outsiders }: Pick<Scene, 'owners' | 'outsiders'>): Person[] {
  return byPerson([...owners.flat(), ...outsiders]);
}

/**
 * People in random order until the candidate's world has at least a given number of rows, and one more for the other world.
 * @param candidate drawn like the others where none is given
 * @throws RangeError when there are too few people
 */
export function drawWorlds(pool: readonly Person[], rows: number, draws: Draws, candidate?: Person): Worlds {
  const order = draws.shuffled(candidate ? pool.filter((person) => person !== candidate) : pool);
  const attacked = candidate ?? order.pop()!;
  const others: SceneRow[] = [];
  while (others.length + attacked.length < rows && order.length > 1) others.push(...order.pop()!);
  const stranger = order.pop();
  if (stranger === undefined || others.length + attacked.length < rows)
    throw new RangeError(`expected people with more than ${rows} rows, got ${pool.flat().length} rows`);
  return { candidate: attacked, others, stranger };
}

export const rowsOf = ({ owners }: Pick<Scene, 'owners'>): number => owners.flat().length;

/** The fewer people the sample has, the less of a spread their results have. */
const LEAST_SAMPLE = 20;
const LEAST_ROWS = 8;

export function omits(scene: Scene): string | undefined {
  const largest = Math.max(...poolOf(scene).map((person) => person.length));
  if (scene.publicSample.length < LEAST_SAMPLE) return `a public sample of fewer than ${LEAST_SAMPLE} rows`;
  if (rowsOf(scene) < Math.max(LEAST_ROWS, 2 * largest)) return 'too few rows';
  if (scene.outsiders.length <= largest) return 'too few outsiders';
  return undefined;
}

/** Noise on the number of rows is about 15: with fewer rows than this, results are noise and refusals. */
const LEAST_PRIVATE = 150;

export const omitsPrivate = (scene: Scene): string | undefined =>
  rowsOf(scene) < LEAST_PRIVATE ? `fewer than ${LEAST_PRIVATE} rows` : omits(scene);

/** Leaves out what has no tasks over a few rows, one a person. */
export const omitsGroups = (scene: Scene): string | undefined =>
  poolOf(scene).some((person) => person.length > 1) ? 'people with several rows' : omits(scene);
