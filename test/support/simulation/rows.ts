/** Rows so many per owner that the number of all samples tells how often each of an owner's two contributions was counted. */
import { TaskProposal } from '@eigenveil/task';
import { type LabelledRows, madeUpProposal } from '../tasks.ts';
import type { Held } from './model.ts';
import { OWNERS, type Scenario, type Version } from './operations.ts';

/** Owner i's first contribution has BASE^i samples and its other one three times as many: then every digit of their sum to the base
 * says which was counted, and a contribution that was counted twice makes it one that neither of them does. */
const BASE = 7;
const UNITS = { first: 1, other: 3 } as const satisfies Record<Version, number>;

const HOUR_MILLISECONDS = 3_600_000;

export function proposalOf({ twoParty, minimumOwners, maximumOwners }: Scenario): TaskProposal {
  return TaskProposal.parse(
    madeUpProposal('pca', 2, [], {
      components: 1,
      allowFullRank: true,
      twoParty,
      minimumOwners,
      maximumOwners,
      maximumSamplesPerOwner: UNITS.other * BASE ** (OWNERS - 1),
      outputs: ['sampleCount', 'spectrum'],
      deadline: new Date(Date.now() + HOUR_MILLISECONDS).toISOString(),
    }),
  );
}

/** Of no two contributions the same, and with a direction that leaving any of them out would turn. */
export function rowsOf(owner: number, version: Version): LabelledRows {
  const count = UNITS[version] * BASE ** owner;
  const values = Array.from({ length: count }, (_, j) => {
    const along = Math.cos(2.4 * j + owner);
    const across = Math.sin(1.7 * j + owner + UNITS[version]);
    return [0.8 * along, 0.2 * (owner + 1) * along + 0.2 * across];
  });
  return { values, classes: values.map(() => []) };
}

/** Which contribution of each owner a number of samples comes of; undefined when it comes of no one contribution of each. */
export function countedIn(sampleCount: number): Extract<Held, Version | 'none'>[] | undefined {
  const digits = Array.from({ length: OWNERS }, (_, i) => Math.floor(sampleCount / BASE ** i) % BASE);
  const held = digits.map((digit) => {
    if (digit === 0) return 'none';
    return digit === UNITS.first ? 'first' : digit === UNITS.other ? 'other' : undefined;
  });
  const isWhole = sampleCount < BASE ** OWNERS && held.every((one) => one !== undefined);
  return isWhole ? held : undefined;
}
