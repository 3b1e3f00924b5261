/** The entries by which owners find a task on their own page. */
import type { TaskId } from '@eigenveil/task/ids';
import { Code } from '../../common/text.tsx';

/**
 * Shows the entries of the two fields in which the owners' page takes a task. It is no link, since this page
 * does not know where that one is.
 */
export function ForOwners({ taskId }: { readonly taskId: TaskId }) {
  return (
    <>
      <p>
        Send this to owners who have enrolled. They fill it in on their page, where it says “Look at a task”.
      </p>
      <Code label="For owners" text={`Task: ${taskId}\nAddress of the data user: ${location.origin}\n`} />
    </>
  );
}
