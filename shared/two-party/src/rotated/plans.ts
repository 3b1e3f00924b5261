/** The plan of all secret products of a task by `rotated`, by the matrix that is decomposed: without what runs it. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { LatticePlan } from '../lattice/sizes.ts';
import type { Rotation } from '../programs/form.ts';
import { programBy } from '../programs/index.ts';
import { pencilPlan } from './pencil/steps.ts';
import { sketchPlan } from './sketch/steps.ts';
import { turningPlan } from './turning.ts';

type Plan = (task: StatisticsTask, program: Program) => Promise<LatticePlan>;

const PLANS: Readonly<Record<Rotation['matrix'], Plan>> = {
  scatter: turningPlan,
  correlation: turningPlan,
  pencil: pencilPlan,
  sketch: sketchPlan,
};

/**
 * Returns the plan; of a correlation matrix that of the products that follow the circuit.
 * @throws ERR_PROGRAM_INVALID for a method that `rotated` does not compute, ERR_TASK_RANGE for a product that no modulus has room for
 */
export function rotatedPlan(task: StatisticsTask, program: Program): Promise<LatticePlan> {
  return PLANS[programBy('rotated', task).matrix](task, program);
}
