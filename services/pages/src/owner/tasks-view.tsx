/** The tasks that the owner wants to see: the state of each, the owner's progress with it, and its removal. */
import { TaskId } from '@eigenveil/task/ids';
import type { TaskState } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Dialog } from '../common/controls.tsx';
import { Empty } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Table } from '../common/table.tsx';
import { TaskName } from '../common/task-name.tsx';
import { Moment, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { FaultSummary, type FieldFault, OwnerProblem, TextField } from './fields.tsx';
import type { OwnerViewProps } from './owner.ts';
import { stateInWords } from './progress.ts';
import { unreachable } from './reachable.ts';
import { routes } from './routes.ts';
import type { TaskEntry } from './state.ts';

export function TasksView({ owner, status }: OwnerViewProps) {
  const tasks = useAsync(() => owner.state.tasks(), [owner]);
  const entries = tasks.state === 'done' ? tasks.value : [];
  const isHere = status.movedAt === null;
  const states = useAsync(async () => {
    const asked = isHere ? entries : [];
    const told = asked.map(
      async (entry) => [entry.id, await owner.taskState(entry).catch(() => null)] as const,
    );
    return new Map<TaskId, TaskState | null>(await Promise.all(told));
  }, [owner, isHere, entries.map(({ id }) => id).join()]);
  const [removed, setRemoved] = useState<TaskEntry | null>(null);
  const [gone, setGone] = useState<TaskEntry | null>(null);
  const said = useRef<HTMLParagraphElement>(null);
  // The row goes, with the button that the dialog gives the focus back to.
  useEffect(() => {
    if (gone !== null) said.current!.focus();
  }, [gone]);
  const stateOf = (entry: TaskEntry): string => {
    if (!isHere) return 'on the other device';
    if (states.state !== 'done' || !states.value.has(entry.id)) return 'asking…';
    const state = states.value.get(entry.id) ?? null;
    return state === null ? 'no connection to the data user' : stateInWords(entry, state, new Date());
  };
  return (
    <View title="Your tasks" name="Tasks">
      {tasks.state === 'failed' && <OwnerProblem error={tasks.error} />}
      {tasks.state === 'done' && entries.length === 0 && (
        <Empty title="No task yet">
          <p>
            Open the link that you were sent. Or fill in the id of a task and the address of its data user,
            who tells you both.
          </p>
        </Empty>
      )}
      {entries.length > 0 && (
        <Table
          caption="Your tasks"
          captionHidden
          stacks
          rows={entries}
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
            { head: 'State', cell: stateOf },
            { head: 'Your part', cell: (entry) => partWords(entry) },
            { head: 'Data user', cell: ({ dataUser }) => <Untrusted text={dataUser} /> },
            { head: 'Since', cell: ({ addedAt }) => <Moment at={addedAt} /> },
            ...(isHere
              ? [
                  {
                    head: 'List',
                    cell: (entry: TaskEntry) => <Button onClick={() => setRemoved(entry)}>Remove…</Button>,
                  },
                ]
              : []),
          ]}
        />
      )}
      {removed !== null && (
        <Removal
          owner={owner}
          entry={removed}
          onClose={() => setRemoved(null)}
          onRemoved={() => {
            setRemoved(null);
            setGone(removed);
            tasks.again();
          }}
        />
      )}
      <p ref={said} tabIndex={-1} role="status">
        {gone !== null && (
          <>
            Task <TaskName id={gone.id} title={gone.title} /> is not on the list any more.
          </>
        )}
      </p>
      <AddTask owner={owner} last={entries[0]?.dataUser ?? ''} />
    </View>
  );
}

function partWords({ withdrawal, receipt, isPending }: TaskEntry): string {
  if (withdrawal === 'begun') return 'withdrawal not confirmed: withdraw once more';
  if (withdrawal === 'confirmed') return 'withdrawn';
  if (receipt !== null) return 'contributed, with a receipt';
  if (isPending) return 'prepared, without a receipt yet: contribute again';
  return 'not contributed';
}

function Removal(
  props: Pick<OwnerViewProps, 'owner'> & {
    readonly entry: TaskEntry;
    readonly onClose: () => void;
    readonly onRemoved: () => void;
  },
) {
  const { owner, entry, onClose, onRemoved } = props;
  const remove = useAction(async () => {
    await owner.state.removeTask(entry.id);
    onRemoved();
  });
  return (
    <Dialog title="Remove this task from the list?" onClose={onClose}>
      <p>
        Task <TaskName id={entry.id} title={entry.title} /> is not shown here any more, and what you have
        allowed for it alone is forgotten. Your receipt and what your rows have spent are never forgotten, and
        you do not withdraw by this. To see the task again, fill in its id and the address of its data user.
      </p>
      <p>
        Whenever this list is shown, it asks the data user of each task, as the owner that you are there, for
        the task’s state. It does not ask for this one any more.
      </p>
      <OwnerProblem error={remove.error} />
      <div class="row">
        <Button kind="danger" busy={remove.busy} onClick={() => remove.run()}>
          Remove from the list
        </Button>
        <Button onClick={onClose}>Leave it there</Button>
      </div>
    </Dialog>
  );
}

function AddTask({ owner, last }: { readonly owner: OwnerViewProps['owner']; readonly last: string }) {
  const [dataUser, setDataUser] = useState<string | null>(null);
  const [task, setTask] = useState('');
  const [sent, setSent] = useState(0);
  const address = (dataUser ?? last).trim();
  const url = ServiceUrl.safeParse(address);
  const id = TaskId.safeParse(task.trim());
  const wrongUrl = url.success ? unreachable(url.data) : 'Expected an https address without a path';
  const faults: FieldFault[] = [
    ...(id.success ? [] : [{ id: 'add-task', label: 'Task', words: 'Expected 22 letters, digits, - and _' }]),
    ...(wrongUrl === null
      ? []
      : [{ id: 'add-data-user', label: 'Address of the data user', words: wrongUrl }]),
  ];
  const wrong = (name: string, text: string) =>
    sent > 0 || text !== '' ? (faults.find((it) => it.id === name)?.words ?? null) : null;
  const add = useAction(async () => {
    if (!url.success || !id.success || wrongUrl !== null) return setSent((it) => it + 1);
    await owner.list({ id: id.data, dataUser: url.data });
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
      <FaultSummary title="Fix these fields to see the task" faults={faults} sent={sent} />
      <TextField label="Task" id="add-task" value={task} onValue={setTask} error={wrong('add-task', task)} />
      <TextField
        label="Address of the data user"
        id="add-data-user"
        value={dataUser ?? last}
        onValue={setDataUser}
        error={wrong('add-data-user', address)}
      />
      <OwnerProblem error={add.error} />
      <Button kind="main" submit busy={add.busy}>
        Show the task
      </Button>
    </form>
  );
}
