/** Checks what the schema of a task cannot say. */
import { TaskError } from './errors.ts';
import { programOf } from './program.ts';
import { leastRank } from './rank.ts';
import type { MethodName, TaskProposal } from './schema.ts';

const LABELLINGS = { pca: 0, dca: 1, lda: 1, mdr: 2 } as const satisfies Record<MethodName, number>;

/**
 * Checks what the schema cannot say: that the parameters fit together and that no declared output reveals the scatter
 * matrix without consent. What its two-party protocol asks for is checked by that. Throws ERR_TASK_INVALID, ERR_KEY_TOO_SHORT,
 * ERR_TOO_MANY_COMPONENTS or ERR_FULL_RANK.
 */
export function checkTask(task: TaskProposal): void {
  const { method, features, labellings, components, outputs } = task;
  const invalid = (message: string) => new TaskError('ERR_TASK_INVALID', message);
  if (labellings.length !== LABELLINGS[method.kind]) {
    throw invalid(
      `"labellings" expected ${LABELLINGS[method.kind]} for ${method.kind}, got ${labellings.length}`,
    );
  }
  const columns = [...features.map(({ name }) => name), ...labellings.map(({ column }) => column)];
  if (new Set(columns).size !== columns.length)
    throw invalid('"features" and "labellings" expected distinct names');
  if (new Set(outputs).size !== outputs.length) throw invalid('"outputs" expected distinct names');
  if (outputs.includes('spectrum') && method.kind !== 'pca')
    throw invalid('"outputs" expected spectrum with pca only');
  if (outputs.includes('trace') && method.kind === 'mdr')
    throw invalid('"outputs" expected no trace with mdr');
  if (method.kind === 'mdr' && method.ridge === 0) {
    throw invalid('"method.ridge" expected more than 0 for mdr: S_B of the privacy labels alone is singular');
  }
  if (task.minimumOwners > task.maximumOwners) {
    throw invalid(
      `"minimumOwners" expected at most maximumOwners ${task.maximumOwners}, got ${task.minimumOwners}`,
    );
  }
  if (!Number.isSafeInteger(task.maximumOwners * task.maximumSamplesPerOwner)) {
    throw invalid('"maximumSamplesPerOwner" expected fewer than 2^53 samples over all owners');
  }
  if (task.keyBits < 2048 && !task.allowInsecureKey) {
    throw new TaskError(
      'ERR_KEY_TOO_SHORT',
      `"keyBits" expected at least 2048 unless allowInsecureKey, got ${task.keyBits}`,
    );
  }
  checkDifferentialPrivacy(task);
  if (components > features.length) {
    throw new TaskError(
      'ERR_TOO_MANY_COMPONENTS',
      `"components" expected at most ${features.length}, got ${components}`,
    );
  }
  if (revealsScatter(task) && !task.allowFullRank) {
    throw new TaskError(
      'ERR_FULL_RANK',
      '"components" expected fewer: these outputs determine the whole scatter matrix',
    );
  }
}

function checkDifferentialPrivacy({ differentialPrivacy: setting, minimumOwners }: TaskProposal): void {
  if (setting === null) return;
  const invalid = (expected: string) =>
    new TaskError(
      'ERR_TASK_INVALID',
      `"differentialPrivacy.honestOwners" expected ${expected}, got ${setting.honestOwners}`,
    );
  if (setting.noise === 'servers' && setting.honestOwners !== null)
    throw invalid('null unless owners add noise');
  // Whoever looks at the result knows the noise of its own, so at least one owner's does not count.
  if (setting.noise === 'owners' && (setting.honestOwners === null || setting.honestOwners >= minimumOwners))
    throw invalid(`a number below minimumOwners ${minimumOwners}, as owners add noise`);
}

/**
 * Whether the outputs determine S̄ whatever the data. Constant features are known to be zero, and n rows have a rank of n − 1 at most. What a task
 * cannot know, features that depend on each other, is found when the result is computed.
 */
function revealsScatter(task: TaskProposal): boolean {
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (task.method.kind !== 'pca') return task.components >= varying;
  const rank = Math.min(varying, task.maximumOwners * task.maximumSamplesPerOwner - 1);
  return leastRank(programOf(task)) > rank;
}
