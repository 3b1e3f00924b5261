/** The result of a task. */
import type { TaskId } from '@eigenveil/task/schema';
import { View } from '../../common/layout.tsx';
import type { ConsoleApi } from '../api.ts';

export function ResultView({ taskId }: { readonly api: ConsoleApi; readonly taskId: TaskId }) {
  return (
    <View title="Result" name="Result">
      <p>
        Save the result of <code>{taskId}</code> with eigenveil-user task result.
      </p>
    </View>
  );
}
