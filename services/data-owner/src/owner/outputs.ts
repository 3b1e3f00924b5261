/** Says in words what an output of a task tells. */
import { methodOf, type Output } from '@eigenveil/methods';
import type { Task } from '@eigenveil/task';

export function describeOutput(task: Task, output: Output): string {
  const { features } = task;
  switch (output) {
    case 'mean':
      return features.some(({ twoValued }) => twoValued !== false)
        ? 'the mean of all rows, which of a feature with two values tells the variance'
        : 'the mean of all rows';
    case 'trace':
      return 'the trace of the scatter matrix, the variance of all features together';
    case 'sampleCount':
      return 'the number of rows of all owners together';
    case 'spectrum':
      return `all ${features.length} eigenvalues of the ${methodOf(task).words.spectrum}`;
    case 'classCounts':
      return 'the number of rows of each class; where an owner alone has rows of a class, that number is its own';
    case 'variances':
      return 'the variance of each feature, exactly';
  }
}
