/** Attacks as rows of a table: what differs between those of one part. */
import type { Unworded } from '../experiment.ts';

/** Makes attacks that have in common who attacks, what shall be found out, and what is counted. */
export const attacks =
  (common: Pick<Unworded, 'attacker' | 'secret' | 'unit'> & Partial<Unworded>) =>
  (
    id: string,
    expectation: Unworded['expectation'],
    claims: Unworded['claims'],
    scenes: Unworded['scenes'],
    run: Unworded['run'],
    more: Partial<Unworded> = {},
  ): Unworded => ({ kind: 'attack', ...common, id, expectation, claims, scenes, run, ...more });
