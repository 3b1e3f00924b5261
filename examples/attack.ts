/**
 * An attack for `npm run evaluate`: somebody reads published reduced rows without names, knows the projection, and of a
 * person all features but the last. Which row is that person's, and what is the feature? One such row at most fits exactly.
 *
 *   npm run evaluate -- --quick --attack examples/attack.ts
 */
import type { Experiment } from '@eigenveil/studies/evaluation/experiment';
import { reducerOf, releasedBy } from '@eigenveil/studies/evaluation/released';
import type { SceneRow } from '@eigenveil/studies/evaluation/scene';

const NEAR = 0.05; // of the feature's range: a guess as near as this is a success

const attack: Experiment = {
  id: 'own-missing-feature',
  title: 'A missing feature from published reduced rows',
  kind: 'attack',
  attacker: 'recipient',
  secret: 'values of rows',
  expectation: 'admitted',
  claims: ['P-20'],
  sees: 'the projection, and the reduced rows of all members, without names',
  knows: 'all features of a person but the last',
  control: 'the same for people whose rows were not published',
  baseline: 'the mean of the public sample',
  unit: 'row',
  scenes: ['pima', 'ionosphere'],
  async run({ scene }) {
    const { proposal, owners, outsiders, publicSample } = scene;
    const { min, max } = proposal.features.at(-1)!;
    const reduced = reducerOf(proposal, releasedBy(proposal, owners));
    const published = reduced(owners.flat());
    const shareOf = ({ values }: SceneRow) => (values.at(-1)! - min) / (max - min);
    const success = (guess: number, row: SceneRow) => (Math.abs(guess - shareOf(row)) <= NEAR ? 1 : 0);
    const guessed = ({ values }: SceneRow): number => {
      // As the feature goes from min to max, the reduced row moves along a line. Which published row is nearest to it, and where?
      const [from, to] = reduced([min, max].map((last) => ({ values: values.with(-1, last) })));
      const line = to!.map((end, i) => end - from![i]!);
      const length = line.reduce((sum, step) => sum + step * step, 0);
      const places = published.map((point) => {
        const offset = point.map((value, i) => value - from![i]!);
        const along = length === 0 ? 0 : offset.reduce((sum, value, i) => sum + value * line[i]!, 0) / length;
        const at = Math.min(1, Math.max(0, along));
        return { at, distance: Math.hypot(...offset.map((value, i) => value - at * line[i]!)) };
      });
      return places.reduce((best, place) => (place.distance < best.distance ? place : best)).at;
    };
    const mean = publicSample.reduce((sum, row) => sum + shareOf(row), 0) / publicSample.length;
    const successes = (rows: readonly SceneRow[]) => rows.map((row) => success(guessed(row), row));
    const baseline = outsiders.filter((row) => success(mean, row)).length / outsiders.length;
    return { kind: 'trials', attack: successes(owners.flat()), control: successes(outsiders), baseline };
  },
};

export default attack;
