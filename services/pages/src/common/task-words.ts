/** Words of both pages for what a task names by a word of its own: outputs, relations, and who draws noise. */
import type { Output } from '@eigenveil/methods';
import { floorOf, takesFloor } from '@eigenveil/task';
import type { DifferentialPrivacy, TaskProposal } from '@eigenveil/task/schema';
import { count } from './format.ts';

export const OUTPUTS: Readonly<Record<Output, string>> = {
  mean: 'the mean of all rows',
  trace: 'the variance of all features together',
  sampleCount: 'the number of rows',
  spectrum: 'all eigenvalues',
  classCounts: 'the number of rows of each class',
  variances: 'the variance of each feature',
};

/** The facts that must stay hidden, by the relation of differential privacy. */
export const NEIGHBOURS: Readonly<Record<DifferentialPrivacy['neighbours'], string>> = {
  'add-remove': 'whether a row is there (add-remove)',
  replace: 'which row is there (replace)',
};

export const DRAWERS: Readonly<Record<DifferentialPrivacy['noise'], string>> = {
  servers: 'both servers',
  owners: 'the owners',
  csp: 'the CSP alone',
};

/** Says what limits how much the result reveals about a row. */
export function privacyWords(privacy: DifferentialPrivacy | null): string {
  if (privacy === null) return 'exact: nothing bounds what the result tells about a row';
  const { epsilon, delta, neighbours, noise } = privacy;
  return `ε = ${epsilon} and δ = ${delta} about ${NEIGHBOURS[neighbours]}; the noise is drawn by ${DRAWERS[noise]}`;
}

/** Says what floor the result has; null of a task that takes none. */
export function floorWords(task: TaskProposal): string | null {
  if (!takesFloor(task)) return null;
  if (task.exact !== false)
    return 'none: where values are whole numbers, the result may tell the whole scatter matrix';
  return floorOf(task) === undefined
    ? 'none besides the noise of differential privacy, which is larger than the floor would be'
    : `noise of both servers, for ${count(task.releases, 'result')} over the same rows`;
}
