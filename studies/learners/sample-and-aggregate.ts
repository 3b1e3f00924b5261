/**
 * Sample and aggregate for numbers: any learner on each of m disjoint parts of the rows, and of what they answer the private median (Nissim,
 * Raskhodnikova and Smith 2007, section 4).
 *
 * Promise: (ε, 0) for one of n rows, with its target, that is replaced; n is public. ε is that of all answers together: q answers are asked for
 * beforehand, and each takes ε/q.
 *
 * Proof note. Rows are dealt at random, whatever they hold, to m parts that differ in size by one at most. Given the dealing, a replaced row is in one
 * part, so that one of the m answers to a question changes, to anything: a neighbour of the private median (smooth-median.ts), however the learner
 * works; its own randomness is drawn afresh. The mean over dealings keeps the bound; q answers add up (basic composition).
 * Parts that overlap void this: a row in two of them moves two answers.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkEpsilon, invalid, RandomBits } from '@eigenveil/privacy/parts';
import type { FeatureRange } from './private-tree.ts';
import { privateMedian } from './smooth-median.ts';

type Predictor = (row: readonly number[]) => number;
/** In the clear: what it makes of rows and targets. */
export type Learner = (
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
) => Predictor;

/**
 * @param parts m, odd, at most the number of rows
 * @param target the public range of targets
 * @returns the answers to the questions, in their order, within the target's range
 * @throws ERR_DP_PARAMETER for parts, targets or ε out of range
 */
export function sampleAndAggregate(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  questions: readonly (readonly number[])[],
  setting: {
    readonly learner: Learner;
    readonly parts: number;
    readonly target: FeatureRange;
    readonly epsilon: number;
  },
): number[] {
  const { learner, parts, target, epsilon } = setting;
  checkEpsilon(epsilon);
  checkCount('parts', parts, 1);
  if (parts % 2 !== 1 || parts > rows.length) throw invalid('parts', `odd, at most ${rows.length}`, parts);
  if (targets.length !== rows.length) throw invalid('targets', `${rows.length}, one a row`, targets.length);
  const order = shuffledBy(source, rows.length);
  const learnt = Array.from({ length: parts }, (_, part) => {
    const own = order.filter((_row, i) => i % parts === part);
    return learner(
      source,
      own.map((row) => rows[row]!),
      own.map((row) => targets[row]!),
    );
  });
  const { least, largest } = target;
  const each = epsilon / questions.length;
  return questions.map((question) => {
    const answers = learnt.map((predict) => predict(question) - least);
    const noisy = privateMedian(source, answers, { largest: largest - least, epsilon: each });
    return Math.min(largest, Math.max(least, least + noisy));
  });
}

function shuffledBy(source: RandomSource, count: number): number[] {
  const random = new RandomBits(source);
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i -= 1) {
    const j = Number(random.below(BigInt(i + 1)));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
