/** Everything that is fuzzed. */
import { connectionTargets } from './connections.ts';
import { fileTargets } from './files.ts';
import { paillierTargets, statementTargets, taskTargets } from './parsers.ts';
import { serviceTargets } from './services.ts';
import type { Target } from './target.ts';

export async function allTargets(): Promise<Target[]> {
  return [
    ...(await paillierTargets()),
    ...(await statementTargets()),
    ...taskTargets(),
    ...(await fileTargets()),
    ...(await connectionTargets()),
    ...(await serviceTargets()),
  ];
}

/** So many inputs for each target that they are `total` together, by their weights and at least `least` each. */
export function shares(targets: readonly Target[], total: number, least: number): number[] {
  const weights = targets.reduce((sum, { weight }) => sum + weight, 0);
  return targets.map(({ weight }) => Math.max(least, Math.ceil((total * weight) / weights)));
}
