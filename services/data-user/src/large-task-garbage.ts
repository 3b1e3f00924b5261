/** Garbage of tasks with many values, between their steps: left alone, what one step has left lies beside what the next one holds. */
import { placesOf, type Task } from '@eigenveil/task';
import { collectGarbage } from '@eigenveil/two-party';

/** Their integers are some megabytes, and what they are made of several times as much. */
const MANY_VALUES = 50_000;

/** As `collectGarbage('major')`, for tasks with many values only. */
export function collectBetweenSteps(task: Task): void {
  if (placesOf(task).length >= MANY_VALUES) collectGarbage('major');
}
