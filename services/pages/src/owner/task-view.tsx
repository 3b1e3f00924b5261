/**
 * A task for its owner. Before anything is read, it shows the task's parameters, what the task reveals and
 * whether the policy takes it; then it offers the owner's actions.
 */

import { type Basis, type BrokenRule, type Revealed, revealedBy } from '@eigenveil/data-owner/portable';
import { methodOf } from '@eigenveil/methods';
import type { Task, TaskId } from '@eigenveil/task';
import { thumbprintOf } from '@eigenveil/wire';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Parameters } from '../common/parameters.tsx';
import { Grouped, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { ContributePanel } from './contribute-panel.tsx';
import { Persistence } from './device-view.tsx';
import { OwnerProblem } from './fields.tsx';
import type { OwnerViewProps, TaskPartProps } from './owner.ts';
import { ReceiptPanel } from './receipt-panel.tsx';
import { ResultPanel } from './result-panel.tsx';
import { routes } from './routes.ts';
import { changeInWords, pageWords } from './words.ts';

export function TaskView(props: OwnerViewProps & { readonly taskId: TaskId }) {
  const { owner, taskId } = props;
  const entry = useAsync(
    async () => (await owner.state.tasks()).find(({ id }) => id === taskId) ?? null,
    [owner, taskId],
  );
  return (
    <View title={<>Task {taskId}</>} name={`Task ${taskId}`}>
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
  const { owner, status, entry } = props;
  if (status.movedAt !== null) return <ReceiptPanel {...props} />;
  return <Inspected key={`${entry.id} ${entry.dataUser}`} {...props} owner={owner} />;
}

function Inspected(props: TaskPartProps) {
  const { owner, status, entry } = props;
  const shown = useAsync(() => owner.inspect(entry), [owner, entry.id, entry.dataUser]);
  const csp = useAsync(
    async () => (status.enrolment === null ? '' : thumbprintOf(status.enrolment.cspKey)),
    [status.enrolment],
  );
  return (
    <>
      {shown.state === 'loading' && <p>Asking the data user for the task…</p>}
      {shown.state === 'failed' && (
        <OwnerProblem error={shown.error} title="The task is not shown">
          <p>Nothing of yours was read, and only the request for the task was sent.</p>
          <Button onClick={shown.again}>Try again</Button>
        </OwnerProblem>
      )}
      {shown.state === 'done' && (
        <>
          <p>
            Nothing of your rows has been read yet. The data user at <Untrusted text={entry.dataUser} />{' '}
            proposes this task, and the CSP that you trust, with the thumbprint{' '}
            {csp.state === 'done' && <Grouped value={csp.value} />}, has signed all that stands here, together
            with its key and the key of the data user.
          </p>
          <Parameters task={shown.value.task} now={new Date()} id={entry.id} reader="owner" />
          <StandsOn basis={shown.value.basis} />
          <Refines refined={shown.value.refined} />
          <Reveals task={shown.value.task} />
          <Verdict {...shown.value} isDurable={owner.state.isDurable} props={props} />
          <ReceiptPanel {...props} />
          {entry.receipt !== null && shown.value.policy.series !== undefined && <NextPanel {...props} />}
          {!entry.isWithdrawn && entry.receipt === null && shown.value.broken.length === 0 && (
            <ContributePanel {...props} task={shown.value.task} basis={shown.value.basis} />
          )}
        </>
      )}
      {shown.state !== 'done' && <ReceiptPanel {...props} />}
      <ResultPanel {...props} />
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
          the {methodOf(task).words.title} of task <Untrusted text={task.id} />
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
      It refines the result of task <Untrusted text={refined.task.id} />, which the CSP has countersigned: its{' '}
      {refined.projection.vectors.length} vectors are the first columns of the sketch. The data user has
      chosen that.
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
    <section>
      <h2>What it reveals, and to whom</h2>
      {Object.entries(TITLES).map(([who, title]) => (
        <section key={who}>
          <h3>{title}</h3>
          <ul>
            {reveals[who as keyof Revealed].map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function Verdict({
  task,
  broken,
  isDurable,
  policy,
  props,
}: {
  readonly task: Task;
  readonly broken: readonly BrokenRule[];
  readonly isDurable: boolean;
  readonly policy: { readonly minimumClassRows?: number | undefined };
  readonly props: OwnerViewProps;
}) {
  const { minimumClassRows } = policy;
  return (
    <section>
      <h2>What your policy says</h2>
      {broken.length === 0 ? (
        <Notice kind="good" title="Your policy takes this task">
          {minimumClassRows !== undefined && task.outputs.includes('classCounts') && (
            <p>
              Unless your file has fewer than {minimumClassRows} rows of a class that it has any of: no row
              was read yet.
            </p>
          )}
        </Notice>
      ) : (
        <Notice kind="bad" title="Your policy refuses this task">
          <p>
            <code>ERR_POLICY</code> Nothing is read, and nothing can be contributed.
          </p>
          <ul>
            {broken.map(({ rule, change }) => (
              <li key={String(rule)}>
                <Untrusted text={pageWords(rule)} longest={400} />
                {Object.entries(change).map(([name, value]) => (
                  <p key={name} class="hint">
                    To take it: {changeInWords(name, value)}
                  </p>
                ))}
              </li>
            ))}
          </ul>
          <p>
            Think before you <a href={routes.href('policy', {})}>change your policy</a>: it then counts for
            all tasks.
          </p>
        </Notice>
      )}
      {task.differentialPrivacy !== null && !isDurable && (
        <>
          <Notice kind="bad" title="This device cannot take part under differential privacy">
            <p>
              <code>ERR_POLICY</code> If it forgot what it has sent, the same rows could be counted, and noise
              be drawn, twice; then the guarantee would not hold.
              {props.status.isBare && ' The key came here by its backup alone.'}
            </p>
          </Notice>
          {!props.status.isBare && <Persistence {...props} />}
        </>
      )}
    </section>
  );
}

/** The task that follows one that the owner has contributed to, where its policy agrees to a series. */
function NextPanel({ owner, entry }: TaskPartProps) {
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const look = useAction(async () => setNext(await owner.next(entry)));
  return (
    <section>
      <h2>The next task of the series</h2>
      <p>Your policy agrees to a series. Nothing is contributed by itself: look here when it is time.</p>
      <OwnerProblem error={look.error} />
      {next === null && <Notice kind="info" title="No task renews this one yet" live />}
      {typeof next === 'string' && (
        <Notice kind="good" title="There is a next task" live>
          <p>
            <a href={routes.href('task', { taskId: next })}>{next}</a>
          </p>
        </Notice>
      )}
      <Button busy={look.busy} onClick={() => look.run()}>
        Look for the next task
      </Button>
    </section>
  );
}
