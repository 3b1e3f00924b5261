/** A process that charges one task after the other to a home, and says which it has charged, until it is killed. */
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { newTaskId } from '@eigenveil/task';
import { charge } from '../../src/budget/charging.ts';
import { OwnerHome } from '../../src/owner/home.ts';
import { OwnerPolicy } from '../../src/owner/policy.ts';

const home = new OwnerHome(process.argv[2]!);
const policy = OwnerPolicy.parse({ answers: { wholes: 1_000_000 } });
for (;;) {
  const task = { ...madeUpTask('pca', 3), id: newTaskId() };
  await charge(home, policy, 'rows', task);
  process.stdout.write(`${task.id}\n`);
}
