/**
 * Data sets with a candidate and without: each trial draws people anew, so that trials are independent of one another, given the people that there are to draw
 * from. One result would decide many candidates at once, who depend on each other.
 */
import type { Draws } from '../../draws.ts';
import { byPerson, type Person, type Scene, type SceneRow } from '../../scene.ts';

interface Worlds {
  readonly candidate: Person;
  /** Rows of everybody but the candidate, in either world. */
  readonly others: readonly SceneRow[];
  /** Whose rows are there in place of the candidate's. */
  readonly stranger: Person;
}

/** Members and outsiders: who is in the data of a trial is drawn from both. The public sample stays with the attacker. */
export function poolOf({ owners, outsiders }: Pick<Scene, 'owners' | 'outsiders'>): Person[] {
  return byPerson([...owners.flat(), ...outsiders]);
}

/**
 * People in random order until the candidate's world has at least so many rows, and one more for the other world.
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
