/** The number of scores of chosen windows that give a template away, if a service told scores: linear equations in what is not known. */
import { type ScoreKind, Scorer, type Template } from '@eigenveil/authentication';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { Matrix, pseudoInverse, solve } from 'ml-matrix';
import { least, most, only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import { RealDraws } from '../../privacy/random/real.ts';
import { minus } from '../alignment.ts';
import { COLUMNS, columnsOf, interval, SHARE } from '../figures.ts';
import { shareOf } from '../intervals.ts';
import type { Row } from '../people.ts';
import { attackedIn, type OfTemplates, planTemplates } from './attacked.ts';
import { projectionOf, reduced } from './projections.ts';
import { templateOf } from './scene.ts';

/**
 * A squared distance in the user's own unit is a quadratic polynomial in the window: with one coefficient for all squares (Euclidean), or one for each
 * product of two entries (Mahalanobis).
 */
function monomials(window: Row, kind: ScoreKind): number[] {
  const squares =
    kind === 'euclidean'
      ? [window.reduce((sum, x) => sum + x * x, 0)]
      : window.flatMap((x, i) => window.slice(i).map((y) => x * y));
  return [...squares, ...window, 1];
}

/**
 * The error in a template's mean, in units of that mean's length, that remains with a given number of scores of random windows: least squares where they are enough,
 * otherwise the shortest solution.
 * @param kind not cosine, which tells directions only
 */
export function recover(
  template: Template,
  kind: Exclude<ScoreKind, 'cosine'>,
  scores: number,
  seed: string,
): number {
  const k = template.mean.length;
  const draws = new RealDraws(predictableRandomness(`probes ${seed}`));
  const probes = Array.from({ length: scores }, () => Array.from({ length: k }, () => draws.normal()));
  const scorer = new Scorer(template, kind);
  const squares = probes.map((probe) => scorer.distance(Float64Array.from(probe)) ** 2);
  const solution = pseudoInverse(new Matrix(probes.map((probe) => monomials(probe, kind))))
    .mmul(Matrix.columnVector(squares))
    .to1DArray();
  const truth = [...template.mean];
  return Math.hypot(...minus(extremum(solution, k, kind), truth)) / Math.hypot(...truth);
}

/** Returns where the polynomial is least. */
function extremum(coefficients: Row, k: number, kind: ScoreKind): number[] {
  const squares = coefficients.length - k - 1;
  const linear = coefficients.slice(squares, squares + k);
  if (kind === 'euclidean') return linear.map((x) => -x / (2 * coefficients[0]!));
  const A = Matrix.zeros(k, k);
  for (let i = 0, at = 0; i < k; i++) {
    for (let j = i; j < k; j++, at++) {
      const half = coefficients[at]! * (i === j ? 2 : 1);
      A.set(i, j, half);
      A.set(j, i, half);
    }
  }
  return solve(A, Matrix.columnVector(linear.map((x) => -x)), true).to1DArray();
}

/** Unknown coefficients: as many scores solve for the template. */
export function scoresNeeded(components: number, kind: Exclude<ScoreKind, 'cosine'>): number {
  return kind === 'euclidean' ? components + 2 : ((components + 1) * (components + 2)) / 2;
}

/** People whose templates are asked for. */
const ASKED = 10;
/** An error that counts as recovered. */
const CLOSE = 1e-6;

export const scores = defineStudy<OfTemplates>({
  id: 'recognition/scores',
  plan: (asked) => planTemplates(asked, 'scores', () => ({})),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ components }) => components / 2,
  async *measure(chosen, bench) {
    const { scene, kind } = await attackedIn(chosen, bench);
    const projection = projectionOf(
      kind,
      scene.subjects.map(({ early }) => early),
    );
    const k = projection.vectors.length;
    const asked = scene.subjects.slice(0, ASKED);
    for (const score of ['euclidean', 'mahalanobis'] as const)
      for (const more of [-1, 0]) {
        const told = scoresNeeded(k, score) + more;
        const errors = asked.map(({ name, early }) =>
          recover(templateOf(reduced(projection, early)), score, told, `${scene.dataset} ${name}`),
        );
        const recovered = shareOf(errors.filter((error) => error < CLOSE).length, errors.length);
        yield {
          ...{ score, k, told, enough: more === 0 ? 'yes' : 'no' },
          ...{ ...columnsOf('recovered', recovered), asked: recovered.n },
        };
      }
  },
  columns: { ...COLUMNS, told: { title: 'scores told' } },
  tables: {
    recovered: {
      caption: 'People whose template’s mean came back to six digits',
      rows: ['dataset', 'score', 'k', 'told'],
      cells: { 'recovered, %': interval('recovered', SHARE), people: only('asked') },
    },
  },
  facts: {
    enough: { where: { enough: 'yes' }, figure: least('recovered', SHARE) },
    oneLess: { where: { enough: 'no' }, figure: most('recovered', SHARE) },
  },
  holds: { equationsSolve: (fact) => fact('enough') === 1 && fact('oneLess') === 0 },
  words: new URL('scores.md', import.meta.url),
});
