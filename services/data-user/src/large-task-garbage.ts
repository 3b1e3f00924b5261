/** Garbage of tasks with many values, between their steps: the runtime would let a hundred megabytes of a sketch lie beside what the next step holds. */
import { placesOf, type Task } from '@eigenveil/task';
import { collectGarbage } from '@eigenveil/two-party';

/** Their integers are some megabytes, and what they are made of several times as much. */
const MANY_VALUES = 50_000;

/** Takes a twentieth of a second and more, of tasks with many values only. */
export function collectBetweenSteps(task: Task): void {
  if (placesOf(task).length >= MANY_VALUES) collectGarbage('major');
}
