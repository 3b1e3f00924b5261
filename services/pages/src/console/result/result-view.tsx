/** The result of a task: its values, how far they can be trusted, and how they are used. */
import { remarksOf } from '@eigenveil/data-user/result';
import type { TaskId } from '@eigenveil/task/ids';
import { errorCodeOf } from '@eigenveil/wire/errors';
import { useMemo } from 'preact/hooks';
import { Problem } from '../../common/feedback.tsx';
import { View } from '../../common/layout.tsx';
import { useAsync } from '../../common/use-async.ts';
import { Biplot } from '../../methods/biplot-view.tsx';
import { componentRows } from '../../methods/figures.ts';
import { HistogramResult } from '../../methods/histogram-view.tsx';
import { Loadings } from '../../methods/loadings-view.tsx';
import { Scree } from '../../methods/scree-view.tsx';
import { Weights } from '../../methods/weights-view.tsx';
import type { ConsoleApi } from '../api.ts';
import { routes } from '../routes.ts';
import { Provenance } from './provenance-view.tsx';
import { Summary } from './summary-view.tsx';
import { Downloads, Use } from './use-view.tsx';
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
  return (
    <View title="Result" name="Result">
      <p>
        Of the task <a href={routes.href('task', { taskId })}>{taskId}</a>
      </p>
      {loading.state === 'loading' && (
        <p role="status">The result is fetched, and its signatures are checked.</p>
      )}
      {loading.state === 'failed' && (
        <Problem error={loading.error} title="There is no result to show">
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
  const { checked, draft } = props;
  const { task, projection } = checked;
  if (task.method.kind === 'histogram')
    return (
      <>
        <HistogramResult checked={checked} draft={draft} />
        <Provenance checked={checked} />
      </>
    );
  if (projection.regression !== undefined)
    return (
      <>
        <Summary checked={checked} remarks={[]} />
        <Weights task={task} regression={projection.regression} />
        <Provenance checked={checked} />
        <Downloads checked={checked} />
      </>
    );
  return <Components checked={checked} />;
}

function Components({ checked }: { readonly checked: CheckedResult }) {
  const { task, projection } = checked;
  const remarks = useMemo(() => remarksOf(task, projection), [task, projection]);
  const { verifiedOwners } = checked.provenance;
  const rows = useMemo(
    () => componentRows(projection, remarks, verifiedOwners),
    [projection, remarks, verifiedOwners],
  );
  return (
    <>
      <Summary checked={checked} remarks={remarks} />
      <Scree checked={checked} rows={rows} />
      <Loadings projection={projection} />
      <Biplot projection={projection} />
      <Provenance checked={checked} />
      <Use checked={checked} />
    </>
  );
}
