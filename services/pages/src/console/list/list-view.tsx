/** All tasks, the newest first, as they change, or a hint when there is none. */
import { methodOf } from '@eigenveil/methods';
import { MOST_SOUGHT, type TaskList } from '@eigenveil/wire/console';
import { useEffect, useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { Empty, Problem } from '../../common/feedback.tsx';
import { number } from '../../common/format.ts';
import { View } from '../../common/layout.tsx';
import { Table } from '../../common/table.tsx';
import { TaskName } from '../../common/task-name.tsx';
import { Moment } from '../../common/text.tsx';
import { useAction } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';
import { useFollow, useNow } from '../follow.ts';
import { Freshness, StateMark } from '../marks.tsx';
import { routes } from '../routes.ts';
import { withLive, withOlder } from './merge.ts';

type Listed = TaskList['tasks'][number];

/** While somebody types, nothing is asked until the hand rests for so long. */
const TYPING_MILLISECONDS = 300;

export function ListView({ api }: { readonly api: ConsoleApi }) {
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed.trim()), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <View title="Tasks" name="Tasks">
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setSought(typed.trim());
          }}
        >
          <Field label="Search by title or id">
            {(attributes) => (
              <input
                {...attributes}
                type="search"
                value={typed}
                maxLength={MOST_SOUGHT}
                autoComplete="off"
                spellcheck={false}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
        </form>
      </search>
      <Tasks key={sought} api={api} sought={sought} />
    </View>
  );
}

/** The tasks whose title or id has a text, or all. */
function Tasks({ api, sought }: { readonly api: ConsoleApi; readonly sought: string }) {
  const wanted = sought === '' ? {} : { sought };
  const followed = useFollow<TaskList>(api, (signal) => api.followTasks(wanted, signal), []);
  const now = useNow(api, 10_000);
  const [tasks, setTasks] = useState<readonly Listed[]>([]);
  /** Says whether older tasks follow the oldest page; null until such a page was asked for. */
  const [hasOlder, setHasOlder] = useState<boolean | null>(null);
  const { update } = followed;
  useEffect(() => {
    if (update !== null) setTasks((known) => withLive(known, update.tasks));
  }, [update]);
  const older = useAction(async (signal) => {
    const page = await api.tasks({ before: tasks.at(-1)!.taskId, ...wanted }, signal);
    setTasks((known) => withOlder(known, page.tasks));
    setHasOlder(page.older);
  });
  const pushedOff = tasks.length - (update?.tasks.length ?? 0);
  return (
    <>
      <Freshness what="The list" followed={followed} />
      {followed.state === 'failed' && <Problem error={followed.error} title="The list cannot be shown" />}
      {update !== null && update.tasks.length === 0 && sought === '' && <FirstTask />}
      {update !== null && tasks.length === 0 && sought !== '' && (
        <p role="status">No task has this text in its title or id.</p>
      )}
      {tasks.length > 0 && (
        <Table
          caption="Tasks, the newest first"
          captionHidden
          rows={tasks}
          keyOf={({ taskId }) => taskId}
          columns={[
            {
              head: 'Task',
              cell: ({ taskId, title }) => (
                <a href={routes.href('task', { taskId })}>
                  <TaskName id={taskId} title={title} />
                </a>
              ),
            },
            { head: 'State', cell: ({ state }) => <StateMark state={state} /> },
            { head: 'Method', cell: ({ method }) => methodOf({ method }).words.title },
            { head: 'Contributions', numeric: true, cell: ({ contributions }) => number(contributions) },
            { head: 'Deadline', cell: ({ deadline }) => <Moment at={deadline} now={now} /> },
          ]}
        />
      )}
      {(hasOlder ?? update?.older ?? false) && (
        <Button busy={older.busy} onClick={() => older.run()}>
          Show older tasks
        </Button>
      )}
      <Problem error={older.error} title="Older tasks did not come" />
      {pushedOff > 0 && update !== null && (
        <p class="hint">
          The newest {number(update.tasks.length)} tasks are live. Older ones are as they were when they were
          asked for; open one to see it live.
        </p>
      )}
    </>
  );
}

/** Stands in place of the list while there is no task, and says how to make the first. */
function FirstTask() {
  return (
    <Empty title="There is no task yet">
      <p>
        A task says what is computed over the rows of many owners: which columns, which method, how many
        components, how many owners at least, until when. It never changes, so the first step is a draft.
      </p>
      <ol>
        <li>
          <a href={routes.href('draft', {})}>Draft a task</a> from a sample file. The sample stays in your
          browser. The page says of every member what it reveals and what it costs.
        </li>
        <li>
          <a href={routes.href('create', {})}>Create it</a>: the CSP checks it, makes a key for it alone and
          signs it. You can also bring the file of a draft that somebody else has made.
        </li>
        <li>
          Send its id to the owners. They enrol once with a token from the CSP’s operator, and contribute.
          Here you see how many have, and which uploads were refused, and why.
        </li>
        <li>Close it when enough have contributed: the computation starts, and the result appears here.</li>
      </ol>
    </Empty>
  );
}
