/** People made up for the tests of the study: each varies about a centre of their own. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import type { OwnData } from '../../instrument/own-data.ts';
import { RealDraws } from '../../privacy/random/real.ts';
import type { People } from '../../recognition/people.ts';
import type { Grid, Setting } from '../../recognition/scoring/settings.ts';

export function madeUpPeople({ people = 6, rows = 50, features = 5, apart = 3 } = {}): People {
  const draws = new RealDraws(predictableRandomness('made-up people'));
  const normals = () => Array.from({ length: features }, () => draws.normal());
  return {
    dataset: 'wisdm_walk_user',
    features: Array.from({ length: features }, (_, i) => `feature ${i}`),
    people: Array.from({ length: people }, (_, person) => {
      const centre = normals().map((x) => apart * x);
      return {
        name: `${person}`,
        rows: Array.from({ length: rows }, () => normals().map((x, i) => x + centre[i]!)),
      };
    }),
  };
}

export const SETTING: Setting = {
  method: 'dca',
  logUnit: 1,
  components: 3,
  ridge: 1,
  whitened: false,
  score: 'euclidean',
  own: 0.5,
  everyone: 0.5,
};

export const GRID: Grid = {
  logUnits: [1],
  components: [2, 3],
  ridges: [1],
  shares: [0.6],
  scores: ['euclidean', 'mahalanobis'],
  normalisations: [
    { own: 1, everyone: 0 },
    { own: 0.5, everyone: 0.5 },
    { own: 0, everyone: 0, cohort: { who: 'insiders', nearest: 1, weight: 1 } },
    { own: 0, everyone: 0, cohort: { who: 'outsiders', nearest: 1, weight: 1 } },
  ],
};

/** The same as a user's own rows, by person and in the order of time. */
export function ownRows(of: Parameters<typeof madeUpPeople>[0]): OwnData {
  const { features, people } = madeUpPeople(of);
  return {
    name: 'own',
    columns: features,
    ranges: features.map(() => [-10, 10]),
    rows: people.flatMap(({ rows }) => rows),
    labels: people.flatMap(({ rows }, person) => rows.map(() => person)),
    classes: people.map(({ name }) => name),
  };
}
