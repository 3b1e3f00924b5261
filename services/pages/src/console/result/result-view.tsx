/** The result of a task: its values, how far they can be trusted, and how they are used. */
import { methodOf } from '@eigenveil/methods';
import type { TaskId } from '@eigenveil/task/ids';
import { errorCodeOf } from '@eigenveil/wire/errors';
import { Problem } from '../../common/feedback.tsx';
import { View } from '../../common/layout.tsx';
import { TaskName } from '../../common/task-name.tsx';
import { useAsync, useRetry } from '../../common/use-async.ts';
import { OPERATOR_RESULTS } from '../../methods/operator-results.tsx';
import type { ConsoleApi } from '../api.ts';
import { routes } from '../routes.ts';
import './result.css';
import { type CheckedResult, checkResult } from './verify.ts';

/** @param draft goes on with this JSON where tasks are drafted */
export function ResultView(props: {
  readonly api: ConsoleApi;
  readonly taskId: TaskId;
  readonly draft: (text: string) => void;
}) {
  const { api, taskId, draft } = props;
  const loading = useAsync(
    async (signal) => {
      const [agreed, result] = await Promise.all([
        api.signedTask({ taskId }, signal),
        api.result({ taskId }, signal),
      ]);
      return checkResult(agreed, result);
    },
    [api, taskId],
  );
  const isLost = useRetry(loading);
  return (
    <View title="Result" name="Result">
      <p>
        Of the task{' '}
        <a href={routes.href('task', { taskId })}>
          <TaskName id={taskId} title={loading.state === 'done' ? loading.value.task.title : undefined} />
        </a>
      </p>
      {loading.state === 'loading' && (
        <p role="status">The result is fetched, and its signatures are checked.</p>
      )}
      {loading.state === 'failed' && (
        <Problem
          error={loading.error}
          title={isLost ? 'No connection to the data user. Retrying…' : 'There is no result to show'}
        >
          {errorCodeOf(loading.error) === 'ERR_NOT_READY' && (
            <p>
              <a href={routes.href('task', { taskId })}>See how far the task is</a>
            </p>
          )}
        </Problem>
      )}
      {loading.state === 'done' && <Shown checked={loading.value} draft={draft} />}
    </View>
  );
}

function Shown(props: { readonly checked: CheckedResult; readonly draft: (text: string) => void }) {
  const Result = OPERATOR_RESULTS[methodOf(props.checked.task).name];
  return <Result {...props} />;
}
