/**
 * Sample and aggregate for numbers: any learner on each of m disjoint parts of the rows, and of what they answer the private median (Nissim,
 * Raskhodnikova and Smith 2007, section 4).
 *
 * Promise: that of the noise (smooth-noise.ts), (ε, 0) unless another is asked for, for one of n rows, with its target, that is replaced; n is public. ε and
 * δ are those of all answers together: q answers are asked for beforehand, and each takes ε/q and δ/q.
 *
 * Proof note. Rows are dealt at random, whatever they hold, to m parts that differ in size by one at most. Given the dealing, a replaced row is in one
 * part, so that one of the m answers to a question changes, to anything: a neighbour of the private median (smooth-median.ts), however the learner
 * works; its own randomness is drawn afresh. The mean over dealings keeps the bound; q answers add up (basic composition).
 * Parts that overlap void this: a row in two of them moves two answers.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, invalid, RandomBits } from '@eigenveil/privacy/parts';
import type { FeatureRange } from './private-tree.ts';
import { type Noisy, privateMedian } from './smooth-median.ts';

type Predictor = (row: readonly number[]) => number;
/** In the clear: what it makes of rows and targets. */
export type Learner = (
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
) => Predictor;

interface Sampling {
  readonly learner: Learner;
  readonly parts: number;
}

interface Aggregating extends Noisy {
  /** The public range of targets. */
  readonly target: FeatureRange;
}

/**
 * @param parts m, odd, at most the number of rows
 * @returns the answers to the questions, in their order, within the target's range
 * @throws ERR_DP_PARAMETER for parts, targets, ε or δ out of range
 */
export function sampleAndAggregate(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  questions: readonly (readonly number[])[],
  setting: Sampling & Aggregating,
): number[] {
  return aggregated(source, sampled(source, rows, targets, questions, setting), setting);
}

/**
 * In the clear: what each part answers.
 * @returns for each question the answers of all parts
 * @throws ERR_DP_PARAMETER for parts or targets out of range
 */
export function sampled(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  questions: readonly (readonly number[])[],
  { learner, parts }: Sampling,
): number[][] {
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
  return questions.map((question) => learnt.map((predict) => predict(question)));
}

/**
 * @param answers for each question those of all parts
 * @returns one answer to each question, within the target's range
 * @throws ERR_DP_PARAMETER for ε or δ out of range
 */
export function aggregated(
  source: RandomSource,
  answers: readonly (readonly number[])[],
  { target: { least, largest }, epsilon, dpDelta = 0, ...setting }: Aggregating,
): number[] {
  const each = { epsilon: epsilon / answers.length, dpDelta: dpDelta / answers.length };
  return answers.map((ofParts) => {
    const shifted = ofParts.map((answer) => answer - least);
    const noisy = privateMedian(source, shifted, { ...setting, ...each, largest: largest - least });
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
