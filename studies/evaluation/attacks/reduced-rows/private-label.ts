/** A private label guessed from reduced rows of a scene: what is learnt of whom, and how often it is right. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Draws } from '../../draws.ts';
import { byPerson, type Person, type Scene } from '../../scene.ts';
import { certainty, guessed, type Labelled, mostFrequentByKnown, type Problem } from './classifiers.ts';
import { meansByPerson, type Reduction } from './reductions.ts';

/** @throws Error where the scene lacks one, which `omits` of the experiments says before */
export function labelsOf({ utilityLabel, privateLabel }: Scene) {
  if (utilityLabel === undefined || privateLabel === undefined)
    throw new Error('the scene expected a utility label and a private label');
  return { utility: utilityLabel, private: privateLabel };
}

type Reduce = Pick<Reduction, 'reduce'>;

/** Labels the rows of a person, reduced, with what is known of them and what shall be guessed. */
function labelled({ reduce }: Reduce, rows: Person, label: string, known?: string): readonly Labelled[] {
  return reduce(rows).map((input, i) => ({
    input,
    label: rows[i]!.labels[label]!,
    ...(known !== undefined && { known: rows[i]!.labels[known]! }),
  }));
}

/** Gives for each person the share of rows whose label was guessed. */
export function successes(people: readonly Person[], labels: readonly string[], of: string): number[] {
  const rows = people.flat();
  return meansByPerson(
    people,
    labels.map((label, i) => Number(rows[i]!.labels[of] === label)),
  );
}

/** The private label from reduced rows, with the utility label known or not. */
export function problemOf(
  scene: Scene,
  members: readonly Person[],
  reduction: Reduce,
  known?: string,
): Problem {
  const { private: hidden } = labelsOf(scene);
  return {
    sample: byPerson(scene.publicSample).map((own) => labelled(reduction, own, hidden, known)),
    targets: labelled(reduction, members.flat(), hidden, known),
  };
}

export async function measured(
  scene: Scene,
  members: readonly Person[],
  reductions: readonly Reduction[],
  draws: Draws,
) {
  const { utility, private: hidden } = labelsOf(scene);
  const alone = reductions.map((reduction) => problemOf(scene, members, reduction));
  const guesses = await guessed(
    reductions.flatMap((reduction, r): Problem[] => [
      problemOf(scene, members, reduction, utility),
      alone[r]!,
      // Rows, not people, are dealt to folds: a person may be a utility class.
      { sample: labelled(reduction, members.flat(), utility).map((row) => [row]), targets: [] },
    ]),
  );
  return reductions.map((reduction, r) => ({
    components: reduction.projection.vectors.length,
    /** Says how sure reduced rows alone make of the private label, where it has two classes. */
    certainty: certainty(alone[r]!, draws),
    /** By person, by who knows reduced rows and the utility label. */
    together: successes(members, guesses[3 * r]!.labels, hidden),
    /** Share of rows, by who knows reduced rows alone. */
    alone: mean(successes(members, guesses[3 * r + 1]!.labels, hidden)),
    /** Share of members' rows whose utility label is right, by who has labelled reduced rows of other members. */
    utility: guesses[3 * r + 2]!.validated,
  }));
}

const UNSEEN: Reduce = { reduce: (rows) => rows.map(() => []) };

/** Guesses about members without reduced rows: from their utility label, or with no knowledge of them. */
export function blind(scene: Scene, members: readonly Person[]) {
  const { utility, private: hidden } = labelsOf(scene);
  const guesses = (known?: string) => {
    const { sample, targets } = problemOf(scene, members, UNSEEN, known);
    return successes(members, targets.map(mostFrequentByKnown(sample)), hidden);
  };
  return { byUtility: guesses(utility), majority: mean(guesses()) };
}
