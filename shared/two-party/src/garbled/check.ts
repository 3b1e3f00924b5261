/** Limits the tasks that `garbled` computes. Both servers refuse others before they exchange a byte. */
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';
import { computedFractionBits, type Program, type StatisticsTask } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';

/** A PCA of this number of features takes some minutes. */
const MAXIMUM_FEATURES = 100;

/** @throws ERR_TASK_RANGE; ERR_PROGRAM_INVALID for a spectrum of a method other than PCA */
export function checkGarbled(task: StatisticsTask, program: Program): void {
  const { length } = task.features;
  if (length > MAXIMUM_FEATURES) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `"features" expected at most ${MAXIMUM_FEATURES} with the two-party protocol garbled, got ${length}`,
    );
  }
  checkRidges(task);
  if (task.method.kind !== 'pca' && program.outputs.includes('spectrum')) {
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `"outputs" expected no spectrum for ${task.method.kind} with the two-party protocol garbled, whose circuits decompose the pencil alone`,
    );
  }
}

/** The largest distance of a ridge from its rounded value, relative to itself. */
const RIDGE_ERROR = 2 ** -10;

/**
 * DCA, LDA and ridge add ridges to integers: in units of 4^-fractionBits of what is computed with, which
 * small ridges are not multiples of. MDR does not.
 */
function checkRidges(task: StatisticsTask): void {
  const { method } = task;
  const fractionBits = computedFractionBits(task);
  if (method.kind !== 'dca' && method.kind !== 'lda' && method.kind !== 'ridge') return;
  const ridges = { ridge: method.ridge, ...(method.kind === 'dca' && { signalRidge: method.signalRidge }) };
  for (const [name, ridge] of Object.entries(ridges)) {
    const rounded = Math.round(ridge * 4 ** fractionBits) / 4 ** fractionBits;
    if (Math.abs(rounded - ridge) <= RIDGE_ERROR * Math.abs(ridge)) continue;
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `"method.${name}" expected 0, a multiple of 4^-${fractionBits} or at least ${(4 ** -fractionBits / RIDGE_ERROR / 2).toPrecision(2)} with ${fractionBits} fraction bits, got ${ridge}`,
    );
  }
}
