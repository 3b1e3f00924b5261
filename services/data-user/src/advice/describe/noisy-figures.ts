/** A result's shares of the variance and numbers of rows in words, with what differential privacy leaves in doubt: the command line and the console say them alike. */
import type { ExplainedVariance, Untold } from '@eigenveil/projection/portable';
import { noisePlanOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** What may be told of a component, or of some together. */
export type ToldShare = ExplainedVariance['each'][number];

/** `36.6 % (32.8 to 40.4)`, without noise `36.6 %`, or `?`. */
export function shareInWords(told: ToldShare): string {
  if (typeof told === 'string') return '?';
  const { share, from, to } = told;
  return from === to ? `${percent(share)} %` : `${percent(share)} % (${percent(from)} to ${percent(to)})`;
}

/** A sentence, without its end, on what all components have together. */
export function keptInWords({ differentialPrivacy }: Projection, { together }: ExplainedVariance): string {
  const told = together.at(-1)!;
  if (typeof told === 'string')
    return `how much of the variance the components have cannot be told: ${WHY_UNTOLD[told]}`;
  const of = differentialPrivacy === null ? 'the variance' : 'the variance of the rows as they were clipped';
  const corrected =
    differentialPrivacy === null
      ? ''
      : '; the bias of the noise is taken off, and intervals are two deviations of it';
  return `the components have ${shareInWords(told)} of ${of}${corrected}`;
}

const WHY_UNTOLD: Readonly<Record<Untold, string>> = {
  mean: 'the noise on it depends on the mean, which the task does not declare',
  owners: 'the owners add the noise, and nobody has verified how many there are',
  noise: 'the last of them has an eigenvalue no larger than the noise',
  wide: 'the noise leaves an interval of more than 20 points',
};

/** The deviation of the noise on a number of rows, of all or of a class; 0 where it is exact. */
export function deviationOfRows(task: Task, verifiedOwners: number): number {
  return noisePlanOf({ ...task, maximumOwners: verifiedOwners })?.deviations.M ?? 0;
}

/** `5620 ± 29`: two deviations of the noise. */
export function rowsInWords(count: string, deviation: number): string {
  return deviation === 0 ? count : `${count} ± ${Math.round(2 * deviation)}`;
}

function percent(part: number): string {
  return (100 * part).toFixed(1);
}
