/** The task of the demo of authentication: a DCA by `rotated` with a class for each user. */

import { OwnerPolicy } from '@eigenveil/data-owner';
import { methodOf } from '@eigenveil/methods';
import { GrainFinder } from '@eigenveil/statistics';
import { DAY_MILLISECONDS, TaskProposal } from '@eigenveil/task';
import { inTime, type People, rangesOf, signedLogarithm } from '@eigenveil/testbed/recognition/people';
import type { SetSetting } from './sets.ts';

/** The fewest rows of a class with which a device takes part: the task reveals the numbers of rows by class. */
const CLASS_ROWS = 10;

/**
 * Devices centre their windows by the mean. Features are signed logarithms. Their ranges are taken from everybody's first 40 %, without 0.5 % at either end, and so are their grains. All are
 * public here as those of the other demo are; with private data they would be written down from what each feature is.
 */
export function authenticationTask(
  { people, features }: People,
  { components, ridge, logUnit }: SetSetting,
  keyBits: number,
): TaskProposal {
  const early = people.map(({ rows }) => inTime(rows).early);
  const ranges = rangesOf(early.flat(), logUnit);
  const method = { kind: 'dca', form: 'standard', ridge, signalRidge: 0 } as const;
  return TaskProposal.parse({
    method,
    features: features.map((name, i) => {
      const [min, max] = ranges[i]!;
      const values = early.flat().map((row) => signedLogarithm(row[i]!, logUnit));
      return { name: `log ${name}`, min, max, ...coarseness(values, { min, max }) };
    }),
    labellings: [{ column: 'user', classes: people.map(({ name }) => name) }],
    components,
    minimumOwners: people.length,
    maximumOwners: people.length,
    maximumSamplesPerOwner: Math.max(...early.map(({ length }) => length)),
    keyBits,
    allowInsecureKey: keyBits < 2048,
    encryption: 'djn',
    twoParty: 'rotated',
    outputs: [...methodOf({ method }).revealedByRotation, 'mean'],
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
  });
}

/** Returns how coarse a feature's values are, as a draft looks at them. */
function coarseness(values: readonly number[], range: { readonly min: number; readonly max: number }) {
  const finder = new GrainFinder();
  for (const value of values) finder.add(value);
  const twoValued = values.every((value) => value <= range.min || value >= range.max);
  return { twoValued, grain: finder.grain(range) ?? 'cell' };
}

/** The terms that every device agrees to, and no more. */
export function devicePolicy({ minimumOwners, components, keyBits }: TaskProposal): OwnerPolicy {
  return OwnerPolicy.parse({
    minimumOwners,
    minimumKeyBits: keyBits,
    maximumComponents: components,
    twoParty: ['rotated'],
    allowSpectrum: true,
    minimumClassRows: CLASS_ROWS,
  });
}
