/** Limits the sketches that `rotated` computes. Both servers refuse others before they exchange a byte. */
import { sketchIsWhole } from '@eigenveil/projection/portable';
import { leastRank, type Program, type StatisticsTask } from '@eigenveil/task';
import { sketchParameters } from './parameters.ts';

/**
 * @throws ERR_FULL_RANK where the columns are too few for the components, or not fewer than features that
 * vary: see checkSketch() of the task
 * @throws ERR_TASK_RANGE
 */
export function checkSketched(task: StatisticsTask, program: Program): void {
  const { columns } = program.sketch!;
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (columns < leastRank(program) || columns >= varying) throw sketchIsWhole(columns);
  sketchParameters(task, program);
}
