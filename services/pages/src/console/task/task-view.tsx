/**
 * A task while it runs: what it waits for, its contributions and refusals, its stages, its end, its
 * parameters.
 */
import type { TaskId } from '@eigenveil/task/ids';
import type { TaskOwners, TaskProgress } from '@eigenveil/wire/console';
import { errorCodeOf, titleOf } from '@eigenveil/wire/errors';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../common/controls.tsx';
import { Notice, Problem, Progress } from '../../common/feedback.tsx';
import { duration, number } from '../../common/format.ts';
import { View } from '../../common/layout.tsx';
import { Parameters } from '../../common/parameters.tsx';
import { Table } from '../../common/table.tsx';
import { TaskName } from '../../common/task-name.tsx';
import { privacyWords } from '../../common/task-words.ts';
import { Moment, Untrusted } from '../../common/text.tsx';
import { useAction, useAsync } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';
import { useFollow, useNow } from '../follow.ts';
import { Freshness, StateMark } from '../marks.tsx';
import { routes } from '../routes.ts';
import { adviceFor, adviceForFailure, contributionWords, isFinal, STATES, waitingWords } from '../words.ts';
import { ContributionsChart } from './contributions-chart.tsx';
import { CancelDialog, CloseDialog } from './end-dialogs.tsx';
import { ForOwners } from './for-owners.tsx';
import { SeriesPart } from './series-part.tsx';

export function TaskView({ api, taskId }: { readonly api: ConsoleApi; readonly taskId: TaskId }) {
  const followed = useFollow<TaskProgress>(api, (signal) => api.followTask({ taskId }, signal), [taskId]);
  const now = useNow(api, 1000);
  const progress = followed.update;
  return (
    <View
      title={
        <>
          Task <TaskName id={taskId} title={progress?.status.title} />
        </>
      }
      name={`Task ${taskId}`}
    >
      <Freshness what="The task" followed={followed} />
      {followed.state === 'failed' && (
        <Problem error={followed.error} title="The task cannot be shown">
          {errorCodeOf(followed.error) === 'ERR_TASK_UNKNOWN' && (
            <p>
              Is its id whole? <a href={routes.href('list', {})}>See all tasks</a>
            </p>
          )}
        </Problem>
      )}
      {progress !== null && (
        <>
          <Now api={api} progress={progress} now={now} />
          <h2>Contributions</h2>
          <ContributionsChart progress={progress} />
          <Owners api={api} taskId={taskId} now={now} />
          <h2>Refused uploads</h2>
          <Refused refused={progress.refused} now={now} />
          <h2>Stages</h2>
          <Stages progress={progress} now={now} />
          <h2>What was agreed</h2>
          <Agreed api={api} taskId={taskId} state={progress.status.state} now={now} />
        </>
      )}
    </View>
  );
}

const DONE = {
  close: 'The task is closed: the computation starts.',
  cancel: 'The task is cancelled.',
} as const;

/** The present facts of a task, and the actions that are possible. */
function Now(props: { readonly api: ConsoleApi; readonly progress: TaskProgress; readonly now: Date }) {
  const { api, progress, now } = props;
  const { status, deadline } = progress;
  const [dialog, setDialog] = useState<'close' | 'cancel' | null>(null);
  const [done, setDone] = useState<'close' | 'cancel' | null>(null);
  const leave = (isDone: boolean) => {
    if (isDone) setDone(dialog);
    setDialog(null);
  };
  const standing = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that opened the dialog goes away with what it did.
    if (done !== null) standing.current!.focus();
  }, [done]);
  // The page says above how the task has gone on.
  const hasGoneOn = done === 'close' && status.state !== 'open' && status.state !== 'closed';
  return (
    <>
      <div role="status" ref={standing} tabIndex={-1}>
        <p class="waiting">
          <StateMark state={status.state} /> {STATES[status.state].says} {waitingWords(progress)}
        </p>
      </div>
      <End progress={progress} />
      {status.waiting !== undefined && (
        <Notice kind="warn" title="The last attempt has failed; it is tried again by itself">
          <Untrusted text={status.waiting.message} longest={600} />{' '}
          <code>
            <Untrusted text={status.waiting.code} />
          </code>
        </Notice>
      )}
      <dl class="facts">
        <dt>Contributions</dt>
        <dd>{contributionWords(progress)}</dd>
        <dt>Deadline</dt>
        <dd>
          <Moment at={deadline} now={now} />
        </dd>
        <dt>Privacy of the result</dt>
        <dd>{privacyWords(status.differentialPrivacy)}</dd>
      </dl>
      {status.state === 'open' && <ForOwners taskId={status.taskId} />}
      {done !== null && !hasGoneOn && <Notice kind="good" title={DONE[done]} live />}
      {!isFinal(status.state) && (
        <div class="row">
          {status.state === 'open' && (
            <Button kind="main" onClick={() => setDialog('close')}>
              Close…
            </Button>
          )}
          <Button kind="danger" onClick={() => setDialog('cancel')}>
            Cancel…
          </Button>
        </div>
      )}
      {dialog === 'close' && <CloseDialog api={api} progress={progress} leave={leave} />}
      {dialog === 'cancel' && <CancelDialog api={api} progress={progress} leave={leave} />}
    </>
  );
}

/** Says how a task has ended, and where to go on. */
function End({ progress }: { readonly progress: TaskProgress }) {
  const { taskId, state, failure } = progress.status;
  if (state === 'done')
    return (
      <p>
        <a href={routes.href('result', { taskId })}>See the result</a>
      </p>
    );
  if (state !== 'failed' || failure === undefined) return null;
  return (
    <Notice kind="bad" title={titleOf(failure.code)}>
      <p>
        <Untrusted text={failure.message} longest={600} /> <code>{failure.code}</code>
      </p>
      <p>{adviceForFailure(failure.code)}</p>
    </Notice>
  );
}

function Agreed(props: {
  readonly api: ConsoleApi;
  readonly taskId: TaskId;
  readonly state: TaskProgress['status']['state'];
  readonly now: Date;
}) {
  const { api, taskId, state, now } = props;
  const isProposed = state === 'proposed';
  const signed = useAsync((signal) => api.signedTask({ taskId }, signal), [api, taskId, isProposed]);
  if (signed.state === 'loading') return <p>Asking the data user…</p>;
  if (signed.state === 'done') {
    const { task } = signed.value;
    return (
      <>
        <Parameters task={task} now={now} id={taskId} />
        <h2>Series</h2>
        <SeriesPart api={api} task={task} state={state} />
      </>
    );
  }
  if (errorCodeOf(signed.error) === 'ERR_TASK_UNKNOWN')
    return <p>{isProposed ? 'The CSP has not signed the task yet.' : 'The CSP has not signed this task.'}</p>;
  return (
    <Problem error={signed.error} title="The parameters did not come">
      <Button onClick={signed.again}>Try again</Button>
    </Problem>
  );
}

/** The stages of a task, and the progress of the current one. */
function Stages({ progress, now }: { readonly progress: TaskProgress; readonly now: Date }) {
  const { stages, computation } = progress;
  return (
    <>
      {computation !== null && <Computation computation={computation} />}
      <Table
        caption="Stages so far"
        captionHidden
        rows={stages}
        keyOf={({ startedAt, state }) => `${state} ${startedAt}`}
        columns={[
          { head: 'Stage', cell: ({ state }) => <StateMark state={state} /> },
          { head: 'What it is', cell: ({ state }) => STATES[state].says },
          { head: 'Began', cell: ({ startedAt }) => <Moment at={startedAt} now={now} /> },
          { head: 'Lasted', cell: (stage) => lasted(stage, now) },
          {
            head: 'Active time',
            cell: ({ milliseconds }) => (milliseconds === null ? '' : duration(milliseconds)),
          },
        ]}
      />
    </>
  );
}

function lasted({ state, startedAt, endedAt }: TaskProgress['stages'][number], now: Date): string {
  if (isFinal(state)) return '';
  const end = endedAt === null ? now : new Date(endedAt);
  const words = duration(Math.max(0, end.getTime() - Date.parse(startedAt)));
  return endedAt === null ? `${words} so far` : words;
}

function Computation({ computation }: { readonly computation: NonNullable<TaskProgress['computation']> }) {
  const { unit, done, planned, secondsLeft } = computation;
  return (
    <>
      <Progress label="Two-party computation" done={done} planned={planned} unit={unit} />
      <p>
        {secondsLeft === null
          ? 'The time that is left is not known yet.'
          : `About ${duration(1000 * Math.max(1, Math.round(secondsLeft)))} left.`}
      </p>
    </>
  );
}

/**
 * The owners that contributed to a task or withdrew, asked for page by page when somebody wants to see them.
 */
function Owners(props: { readonly api: ConsoleApi; readonly taskId: TaskId; readonly now: Date }) {
  const { api, taskId, now } = props;
  const [pages, setPages] = useState<readonly TaskOwners[]>([]);
  const owners = pages.flatMap((page) => page.owners);
  const load = useAction(async (signal, known: readonly TaskOwners[]) => {
    const last = known.at(-1)?.owners.at(-1)?.number ?? 0;
    const page = await api.owners({ taskId, after: last }, signal);
    setPages([...known, page]);
  });
  return (
    <>
      <div class="row">
        <Button busy={load.busy} onClick={() => load.run([])}>
          {pages.length === 0 ? 'Show who contributed' : 'Ask again who contributed'}
        </Button>
      </div>
      <Problem error={load.error} title="The owners did not come" />
      {pages.length > 0 && owners.length === 0 && <p>Nobody has contributed or withdrawn.</p>}
      {owners.length > 0 && (
        <Table
          caption="Contributors, in order (snapshot)"
          rows={owners}
          keyOf={(owner) => owner.number}
          columns={[
            { head: 'Owner', cell: ({ ownerId }) => <span class="id">{ownerId}</span> },
            { head: 'Number', numeric: true, cell: (owner) => number(owner.number) },
            {
              head: 'Contributed',
              cell: ({ contributedAt }) =>
                contributedAt === null ? 'no' : <Moment at={contributedAt} now={now} />,
            },
            { head: 'Withdrawn or revoked', cell: ({ withdrawn }) => (withdrawn ? 'yes, for good' : 'no') },
          ]}
        />
      )}
      {pages.at(-1)?.more === true && (
        <Button busy={load.busy} onClick={() => load.run(pages)}>
          Show more owners
        </Button>
      )}
    </>
  );
}

/** Uploads that were refused, by reason, with advice for each. */
function Refused(props: { readonly refused: TaskProgress['refused']; readonly now: Date }) {
  const { refused, now } = props;
  if (refused.length === 0) return <p>No upload was refused.</p>;
  return (
    <Table
      caption="Refused uploads, the most frequent first"
      captionHidden
      rows={refused}
      keyOf={({ code }) => code}
      columns={[
        {
          head: 'Reason',
          cell: ({ code }) => (
            <>
              {titleOf(code)}
              <br />
              <code>{code}</code>
            </>
          ),
        },
        { head: 'Times', numeric: true, cell: ({ count }) => number(count) },
        { head: 'Last', cell: ({ lastAt }) => <Moment at={lastAt} now={now} /> },
        { head: 'What to do', cell: ({ code }) => adviceFor(code) },
      ]}
    />
  );
}
