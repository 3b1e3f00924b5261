/**
 * A task for its owner: what it is about, in one paragraph, the step that is next with what it needs, and
 * behind that all that was agreed and what the task reveals.
 */

import { type Basis, type Revealed, revealedBy } from '@eigenveil/data-owner/portable';
import { methodOf } from '@eigenveil/methods';
import { columnsFor } from '@eigenveil/projection/portable';
import type { Task, TaskId } from '@eigenveil/task';
import { FINAL_STATES, type TaskState, thumbprintOf } from '@eigenveil/wire';
import { useCallback, useRef, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { count } from '../common/format.ts';
import { View } from '../common/layout.tsx';
import { Parameters } from '../common/parameters.tsx';
import { TaskName } from '../common/task-name.tsx';
import { Grouped, Moment, Untrusted } from '../common/text.tsx';
import { useAction, useAsync, useRetry, useWatch } from '../common/use-async.ts';
import { ContributePanel } from './contribute-panel.tsx';
import { OwnerProblem } from './fields.tsx';
import type { OwnerViewProps, TaskPartProps } from './owner.ts';
import { type Fetched, hasPart, isWaiting, progressOf } from './progress.ts';
import { ReceiptPanel } from './receipt-panel.tsx';
import { ResultPanel } from './result-panel.tsx';
import { routes } from './routes.ts';
import { Steps } from './steps.tsx';
import { isAllowed, Verdict } from './verdict.tsx';
import { columnsInWords, pageWords } from './words.ts';

export function TaskView(props: OwnerViewProps & { readonly taskId: TaskId }) {
  const { owner, taskId } = props;
  const entry = useAsync(
    async () => (await owner.state.tasks()).find(({ id }) => id === taskId) ?? null,
    [owner, taskId],
  );
  return (
    <View
      title={
        <>
          Task <TaskName id={taskId} title={entry.state === 'done' ? entry.value?.title : undefined} />
        </>
      }
      name={`Task ${taskId}`}
    >
      {entry.state === 'failed' && <OwnerProblem error={entry.error} />}
      {entry.state === 'done' && entry.value === null && (
        <p>
          This browser does not know where that task is. <a href={routes.href('tasks', {})}>Look for it</a> by
          the address of its data user.
        </p>
      )}
      {entry.state === 'done' && entry.value !== null && (
        <Known {...props} entry={entry.value} lookAtEntry={entry.again} />
      )}
    </View>
  );
}

function Known(props: TaskPartProps) {
  const { status, entry } = props;
  if (status.movedAt !== null) return <ReceiptPanel {...props} canWithdraw="no" />;
  return <Inspected key={`${entry.id} ${entry.dataUser}`} {...props} />;
}

function Inspected(props: TaskPartProps) {
  const { owner, entry } = props;
  const shown = useAsync(async () => {
    const inspected = await owner.inspect(entry);
    props.lookAtEntry(); // for the title
    return inspected;
  }, [owner, entry.id, entry.dataUser]);
  const [fetched, setFetched] = useState<Fetched>('none');
  const known = useRef<TaskState | null>(null);
  // While the data user is not there, what it said last counts.
  const state = useAsync(async () => {
    known.current = await owner.taskState(entry).catch(() => known.current);
    return known.current;
  }, [owner, entry.id, entry.dataUser]);
  const again = useCallback(() => {
    shown.again();
    state.again();
  }, [shown.again, state.again]);
  const isLost = useRetry({ ...shown, again });
  useWatch(state.again, isWaiting(entry, state.state === 'done' ? state.value : null));
  const lookAtEntry = () => {
    props.lookAtEntry();
    state.again();
  };
  if (shown.state === 'failed')
    return (
      <>
        <OwnerProblem
          error={shown.error}
          title={isLost ? 'No connection to the data user. Retrying…' : 'The task is not shown'}
        >
          {!hasPart(entry) && <p>Nothing of yours was read, and only the request for the task was sent.</p>}
          <Button busy={shown.isBusy} onClick={again}>
            Try again
          </Button>
        </OwnerProblem>
        <ReceiptPanel {...props} canWithdraw="yes" />
      </>
    );
  if (shown.state === 'loading' || state.state !== 'done') return <p>Asking the data user for the task…</p>;
  const { task, basis, refined, policy } = shown.value;
  const progress = progressOf({
    entry,
    state: state.value,
    isLate: new Date(task.deadline) < new Date(),
    isRefused: !isAllowed(shown.value, owner.state.isDurable),
    isReleased: task.releaseToOwners,
    fetched,
  });
  const parts = { ...props, lookAtEntry };
  const isResultNext = progress.step === 'result';
  const result = progress.canGetResult && (
    <ResultPanel {...parts} state={state.value} onFetched={setFetched} />
  );
  return (
    <>
      <Steps current={progress.step}>{progress.next}</Steps>
      <Summary
        task={task}
        basis={basis}
        dataUser={entry.dataUser}
        isOver={
          fetched === 'checked' ||
          entry.withdrawal === 'confirmed' ||
          (state.value !== null && FINAL_STATES.includes(state.value))
        }
      />
      {isResultNext && result}
      {(progress.canContribute || progress.step === 'policy') && (
        <Verdict {...parts} {...shown.value} onException={shown.again} />
      )}
      {progress.canContribute && (
        <ContributePanel {...parts} task={task} basis={basis} budgets={shown.value.budgets} />
      )}
      <ReceiptPanel {...parts} canWithdraw={progress.canWithdraw} />
      {!isResultNext && result}
      {entry.receipt !== null && policy.series !== undefined && <NextPanel {...parts} />}
      <Agreed {...parts} task={task} basis={basis} refined={refined} />
    </>
  );
}

/** Says in one paragraph who asks, for what, what leaves, what comes back, and until when. */
function Summary(props: {
  readonly task: Task;
  readonly basis: Basis;
  readonly dataUser: string;
  /** True if the task has ended, at least for this owner. */
  readonly isOver: boolean;
}) {
  const { task, basis, dataUser, isOver } = props;
  const { words } = methodOf(task);
  const { features } = columnsFor(task, basis);
  const columns = [...features.map(({ name }) => name), ...task.labellings.map(({ column }) => column)];
  return (
    <p>
      The data user at <Untrusted text={dataUser} /> {isOver ? 'asked' : 'asks'} at least{' '}
      {count(task.minimumOwners, 'owner')} together for {words.title} of{' '}
      {count(task.features.length, 'feature')}, until <Moment at={task.deadline} />.
      {!isOver && (
        <>
          {' '}
          Your rows stay in this browser: encrypted sums over{' '}
          <Untrusted text={columnsInWords(columns)} longest={600} /> leave it.{' '}
          {task.releaseToOwners
            ? 'The result comes back to you, and to the data user.'
            : 'The result goes to the data user alone.'}
        </>
      )}
      {task.twoParty === 'simulated' && (
        <strong> This task is NOT private: the data user sees everybody’s sums.</strong>
      )}
    </p>
  );
}

/** All that was agreed about the task, and what it reveals to whom. */
function Agreed(
  props: TaskPartProps & {
    readonly task: Task;
    readonly basis: Basis;
    readonly refined: Basis[number] | undefined;
  },
) {
  const { status, entry, task, basis, refined } = props;
  const csp = useAsync(
    async () => (status.enrolment === null ? '' : thumbprintOf(status.enrolment.cspKey)),
    [status.enrolment],
  );
  return (
    <>
      <StandsOn basis={basis} />
      <Refines refined={refined} />
      <details>
        <summary>What it reveals, and to whom</summary>
        <Reveals task={task} />
      </details>
      <details>
        <summary>All that was agreed, and who signed it</summary>
        <p>
          The CSP that you trust, with the thumbprint {csp.state === 'done' && <Grouped value={csp.value} />},
          has signed all that stands here, together with its key and the key of the data user.
        </p>
        <Parameters task={task} now={new Date()} id={entry.id} reader="owner" />
      </details>
    </>
  );
}

function StandsOn({ basis }: { readonly basis: Basis }) {
  if (basis.length === 0) return null;
  return (
    <p>
      It stands on an earlier result, which the CSP has countersigned: rows are reduced first by{' '}
      {basis.map(({ task }, i) => (
        <span key={task.id}>
          {i > 0 && ', then '}
          the {methodOf(task).words.title} of task <TaskName id={task.id} title={task.title} />
        </span>
      ))}
      . The data user has chosen that.
    </p>
  );
}

function Refines({ refined }: { readonly refined: Basis[number] | undefined }) {
  if (refined === undefined) return null;
  return (
    <p>
      It refines the result of task <TaskName id={refined.task.id} title={refined.task.title} />, which the
      CSP has countersigned: its {refined.projection.vectors.length} vectors are the first columns of the
      sketch. The data user has chosen that.
    </p>
  );
}

const TITLES = {
  dataUser: 'The data user learns',
  owners: 'Owners learn',
  csp: 'The CSP learns',
  network: 'The network shows',
  rows: 'Of your rows',
} as const satisfies Record<keyof Revealed, string>;

function Reveals({ task }: { readonly task: Task }) {
  const reveals = revealedBy(task);
  return (
    <>
      {Object.entries(TITLES).map(([who, title]) => (
        <section key={who}>
          <h2>{title}</h2>
          <ul>
            {reveals[who as keyof Revealed].map((line) => (
              <li key={String(line)}>{pageWords(line)}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The task that follows one that the owner has contributed to, where its policy agrees to a series. */
function NextPanel({ owner, entry }: TaskPartProps) {
  const [next, setNext] = useState<Awaited<ReturnType<typeof owner.next>> | undefined>(undefined);
  const look = useAction(async () => setNext(await owner.next(entry)));
  return (
    <section>
      <h2>The next task of the series</h2>
      <p>Your policy agrees to a series. Nothing is contributed by itself: look here when it is time.</p>
      <OwnerProblem error={look.error} />
      {next === null && <Notice kind="info" title="No task renews this one yet" live />}
      {next && (
        <Notice kind="good" title="There is a next task" live>
          <p>
            <a href={routes.href('task', { taskId: next.id })}>
              <TaskName id={next.id} title={next.title} />
            </a>
          </p>
        </Notice>
      )}
      <Button busy={look.busy} onClick={() => look.run()}>
        Look for the next task
      </Button>
    </section>
  );
}
