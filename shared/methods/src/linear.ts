/** The parts that linear methods share: the servers open noisy sums, and compute nothing together. */
import { checkAll } from '@eigenveil/platform';
import { rule } from './codes.ts';
import type { Method, Proposed } from './method.ts';

/** The members of every linear method. */
export const linear = (name: string) =>
  ({
    decomposes: undefined,
    checkProgram: () => rule(false, 'method', 'one that decomposes', name)(),
    maximumComponents: () => 0,
    leastRank: () => 0,
    mostRotatedComponents: () => 0,
    /** Noise is on every number that is opened, and at least as large as a floor would be. */
    revealsScatter: () => false,
  }) as const satisfies Partial<Method>;

/**
 * Checks what a task of a linear method has and has not.
 * @param own the method's own rules: what is expected, and whether it holds
 * @throws ERR_TASK_INVALID
 */
export function checkLinear(name: string, task: Proposed, own: Readonly<Record<string, boolean>>): void {
  const rules = {
    'components 0': task.components === 0,
    'twoParty linear': task.twoParty === 'linear',
    'no outputs': task.outputs.length === 0,
    'no basis': task.basis === undefined,
    'allowFullRank false': !task.allowFullRank,
    ...own,
  };
  checkAll(...Object.entries(rules).map(([expected, holds]) => rule(holds, 'method', expected, name)));
}
