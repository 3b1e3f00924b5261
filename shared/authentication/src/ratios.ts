/** Likelihood ratios for the sequential engine, from scores that were not used to make the templates. */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import type { LikelihoodRatios } from './decision.ts';

/** Bins of equal weight at most; each wants about this many scores of either kind. */
const MOST_BINS = 32;
const SCORES_A_BIN = 8;

/** The fewest scores that say something about rates. */
const FEWEST_SCORES = 20;

/**
 * Scores ascending. @throws ERR_CALIBRATION_INVALID when there are fewer than 20, or one is negative or no
 * number
 */
export function sorted(name: string, scores: readonly number[]): Float64Array {
  if (scores.length < FEWEST_SCORES)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID,
      `"${name}" expected at least ${FEWEST_SCORES} scores, got ${scores.length}: record more windows`,
    );
  if (!scores.every((score) => score >= 0 && score < Number.POSITIVE_INFINITY))
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID,
      `"${name}" expected finite distances of a Scorer, 0 or more`,
    );
  return Float64Array.from(scores).sort();
}

/**
 * The staircase of counts: scores are cut into bins, half the weight being the users' and half the
 * impostors', and neighbours are pooled until the ratio never falls (pool adjacent violators: Ayer and
 * others, "An empirical distribution function for sampling with incomplete information", Annals of
 * Mathematical Statistics 26(4), 1955; for likelihood ratios Brümmer and du Preez, "The PAV algorithm
 * optimizes binary proper scoring rules", 2013). A bin is itself an observation with a likelihood ratio, so
 * that the test's bounds hold for bins; half a score is added to each count, so that no bin decides alone.
 * @param genuine scores of windows against their own users' templates, of all users together: at least 20
 * @param impostor scores of windows against other users' templates: at least 20
 * @throws ERR_CALIBRATION_INVALID when there are fewer, or they do not tell users from impostors at all
 */
export function likelihoodRatios(genuine: readonly number[], impostor: readonly number[]): LikelihoodRatios {
  const users = sorted('genuine', genuine);
  const others = sorted('impostor', impostor);
  const bins = Math.min(MOST_BINS, Math.floor(Math.min(users.length, others.length) / SCORES_A_BIN));
  const edges = cuts(users, others, Math.max(bins, 2));
  const [u, o] = [counts(users, edges), counts(others, edges)];
  // Each block: its upper edge, and the smoothed counts of both.
  const blocks: { edge: number; user: number; impostor: number }[] = [];
  for (let i = 0; i <= edges.length; i += 1) {
    let block = { edge: edges[i] ?? Number.POSITIVE_INFINITY, user: u[i]! + 0.5, impostor: o[i]! + 0.5 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.impostor * block.user < block.impostor * last.user) break;
      blocks.pop();
      block = { ...block, user: block.user + last.user, impostor: block.impostor + last.impostor };
    }
    blocks.push(block);
  }
  const total = (sum: number) => sum + (edges.length + 1) / 2;
  const shares = Math.log(total(users.length) / total(others.length));
  const logRatios = blocks.map(({ user, impostor }) => Math.log(impostor / user) + shares);
  if (blocks.length < 2)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID,
      'the scores of impostors are no larger than those of users: use another score, or more components',
    );
  return { edges: blocks.slice(0, -1).map(({ edge }) => edge), logRatios };
}

/** Scores that cut the mixture of both halves into the given number of parts of equal weight, each once. */
function cuts(users: Float64Array, others: Float64Array, bins: number): number[] {
  const [halfUser, halfOther] = [0.5 / users.length, 0.5 / others.length];
  const edges: number[] = [];
  let [i, j, weight] = [0, 0, 0];
  const least = Math.min(users[0]!, others[0]!);
  while (i < users.length || j < others.length) {
    const [a, b] = [users[i] ?? Number.POSITIVE_INFINITY, others[j] ?? Number.POSITIVE_INFINITY];
    const next = Math.min(a, b);
    if (
      weight >= (edges.length + 1) / bins - 1e-12 &&
      edges.length < bins - 1 &&
      next > (edges.at(-1) ?? least)
    )
      edges.push(next);
    if (a <= b) i += 1;
    else j += 1;
    weight += a <= b ? halfUser : halfOther;
  }
  return edges;
}

/** Counts the scores in each bin; a score at an edge belongs above it. */
function counts(scores: Float64Array, edges: readonly number[]): number[] {
  const found = new Array<number>(edges.length + 1).fill(0);
  let bin = 0;
  for (const score of scores) {
    while (bin < edges.length && score >= edges[bin]!) bin += 1;
    found[bin]! += 1;
  }
  return found;
}
