/** The tasks that the owner wants to see, and the owner's progress with each. */
import { TaskId } from '@eigenveil/task/ids';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Empty } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Table } from '../common/table.tsx';
import { TaskName } from '../common/task-name.tsx';
import { Moment, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { OwnerProblem, TextField } from './fields.tsx';
import type { Owner } from './owner.ts';
import { routes } from './routes.ts';
import type { TaskEntry } from './state.ts';

export function TasksView({ owner }: { readonly owner: Owner }) {
  const tasks = useAsync(() => owner.state.tasks(), [owner]);
  return (
    <View title="Your tasks" name="Tasks">
      {tasks.state === 'failed' && <OwnerProblem error={tasks.error} />}
      {tasks.state === 'done' && tasks.value.length === 0 && (
        <Empty title="No task yet">
          <p>
            The data user tells you the id of a task and its own address. Or open the link that you were sent.
          </p>
        </Empty>
      )}
      {tasks.state === 'done' && tasks.value.length > 0 && (
        <Table
          caption="Your tasks"
          captionHidden
          rows={tasks.value}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Task',
              cell: ({ id, title }) => (
                <a href={routes.href('task', { taskId: id })}>
                  <TaskName id={id} title={title} />
                </a>
              ),
            },
            { head: 'Data user', cell: ({ dataUser }) => <Untrusted text={dataUser} /> },
            { head: 'Your part', cell: (entry) => partWords(entry) },
            { head: 'Since', cell: ({ addedAt }) => <Moment at={addedAt} /> },
          ]}
        />
      )}
      <AddTask owner={owner} last={tasks.state === 'done' ? (tasks.value[0]?.dataUser ?? '') : ''} />
    </View>
  );
}

export function partWords({ isWithdrawn, receipt, isPending }: TaskEntry): string {
  if (isWithdrawn) return 'withdrawn';
  if (receipt !== null) return 'contributed, with a receipt';
  if (isPending) return 'prepared, without a receipt yet: contribute again';
  return 'not contributed';
}

function AddTask({ owner, last }: { readonly owner: Owner; readonly last: string }) {
  const [dataUser, setDataUser] = useState<string | null>(null);
  const [task, setTask] = useState('');
  const url = ServiceUrl.safeParse((dataUser ?? last).trim());
  const id = TaskId.safeParse(task.trim());
  const add = useAction(async () => {
    if (!url.success || !id.success) return;
    await owner.state.addTask(id.data, url.data);
    location.hash = routes.href('task', { taskId: id.data });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.run();
      }}
    >
      <h2>Look at a task</h2>
      <TextField
        label="Task"
        value={task}
        onValue={setTask}
        error={task === '' || id.success ? null : 'Expected 22 letters, digits, - and _'}
      />
      <TextField
        label="Address of the data user"
        value={dataUser ?? last}
        onValue={setDataUser}
        error={(dataUser ?? last) === '' || url.success ? null : 'Expected an https address without a path'}
      />
      <OwnerProblem error={add.error} />
      <Button kind="main" submit busy={add.busy} disabled={!url.success || !id.success}>
        Show the task
      </Button>
    </form>
  );
}
