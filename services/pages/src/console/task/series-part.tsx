/** The series of a task: the task's place in it, and the button that opens the next one. */
import type { Task } from '@eigenveil/task/schema';
import type { TaskState } from '@eigenveil/wire/console';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Dialog, Field } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { TaskName } from '../../common/task-name.tsx';
import { useAction, useAsync } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';
import { routes } from '../routes.ts';
import { ForOwners } from './for-owners.tsx';
import { type RenewalRequest, renewalRequest } from './renewal-request.ts';

interface SeriesProps {
  readonly api: ConsoleApi;
  readonly task: Task;
}

export function SeriesPart({ api, task, state }: SeriesProps & { readonly state: TaskState }) {
  const [asking, setAsking] = useState(false);
  const [renewed, setRenewed] = useState<Task | null>(null);
  const known = useAsync(
    (signal) => (state === 'open' ? NOT_RENEWED : api.nextTask({ taskId: task.id }, signal)),
    [api, task.id, state === 'open'],
  );
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The button that opened the dialog is gone.
    if (renewed !== null) place.current!.focus();
  }, [renewed]);
  const { series } = task;
  const next = renewed ?? (known.state === 'done' ? (known.value.next?.task ?? null) : null);
  const obstacle = next === null ? whyNot(task, state) : null;
  return (
    <>
      <p ref={place} tabIndex={-1}>
        {series === undefined ? (
          'This is the first task of its series.'
        ) : (
          <>
            Renewal {series.number} of task <TaskLink id={series.id} title={task.title} />.
          </>
        )}{' '}
        {obstacle}
        {next !== null && (
          <>
            The next one is <TaskLink id={next.id} title={next.title} />.
          </>
        )}
      </p>
      {renewed !== null && (
        <>
          <Notice kind="good" title="The task is renewed" live />
          <ForOwners taskId={renewed.id} />
        </>
      )}
      <Problem error={known.state === 'failed' ? known.error : null} title="The next task did not come">
        <Button onClick={known.again}>Try again</Button>
      </Problem>
      {known.state === 'done' && next === null && obstacle === null && (
        <div class="row">
          <Button onClick={() => setAsking(true)}>Renew…</Button>
        </div>
      )}
      {asking && (
        <RenewDialog
          api={api}
          task={task}
          leave={(made) => {
            setAsking(false);
            if (made !== null) setRenewed(made);
          }}
        />
      )}
    </>
  );
}

/** A task that takes contributions has no renewal. */
const NOT_RENEWED = Promise.resolve({ next: null });

/** Returns the reason for which a task cannot be renewed, or null. */
function whyNot({ twoParty }: Task, state: TaskState): string | null {
  if (twoParty === 'rotated') return 'Tasks by rotated are not renewed.';
  return state === 'open' ? 'It can be renewed once it is closed or cancelled.' : null;
}

/** @param props.title that all tasks of a series have, since they have all parameters in common */
const TaskLink = ({ id, title }: { readonly id: Task['id']; readonly title: string | undefined }) => (
  <a href={routes.href('task', { taskId: id })}>
    <TaskName id={id} title={title} />
  </a>
);

function RenewDialog(props: SeriesProps & { readonly leave: (next: Task | null) => void }) {
  const { api, task, leave } = props;
  const [deadline, setDeadline] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const renew = useAction(async (signal, body: RenewalRequest) => {
    const { task: next } = await api.renewTask({ taskId: task.id, body }, signal);
    leave(next);
  });
  const ask = () => {
    const asked = renewalRequest(deadline, api.now());
    const isWrong = typeof asked === 'string';
    setFault(isWrong ? asked : null);
    if (isWrong) input.current!.focus();
    else renew.run(asked);
  };
  return (
    <Dialog title="Renew the task?" onClose={() => leave(null)}>
      <p>
        The next task has the same parameters, another key and another deadline. Programs of owners whose
        policies agree to a series contribute to it by themselves. Owners who use their page contribute there:
        you get what to send them.
      </p>
      <Notice kind="warn" title="Two results tell more than each">
        What differs between results over nearly the same rows comes from the rows that came or went in
        between.
      </Notice>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <Field
          label="Deadline, UTC"
          hint="Such as 2031-02-01T00:00:00Z, at most 366 days ahead. Empty: as much time from now as this task had."
          error={fault}
        >
          {(attributes) => (
            <input
              {...attributes}
              ref={input}
              value={deadline}
              autoComplete="off"
              spellcheck={false}
              onInput={(event) => setDeadline(event.currentTarget.value)}
            />
          )}
        </Field>
        <Problem error={renew.error} title="The task was not renewed">
          <p>You can try again: a task is renewed once, however often it is said.</p>
        </Problem>
        <div class="row">
          <Button kind="main" submit busy={renew.busy}>
            Open the next task
          </Button>
          <Button onClick={() => leave(null)}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
}
