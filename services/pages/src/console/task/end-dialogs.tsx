/**
 * Dialogs that end the collection of a task: closing it starts the computation, and cancelling it destroys
 * the contributions.
 */
import type { TaskProgress } from '@eigenveil/wire/console';
import { useState } from 'preact/hooks';
import { Button, Dialog, Field } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { count, number } from '../../common/format.ts';
import { useAction } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';

interface EndProps {
  readonly api: ConsoleApi;
  readonly progress: TaskProgress;
  /** Removes the dialog; `done` says that the data user has done it. */
  readonly leave: (done: boolean) => void;
}

export function CloseDialog({ api, progress, leave }: EndProps) {
  const { status, minimumOwners, maximumOwners } = progress;
  const close = useAction(async (signal) => {
    await api.closeTask({ taskId: status.taskId }, signal);
    leave(true);
  });
  const isBelow = status.contributions < minimumOwners;
  return (
    <Dialog title="Close the task?" onClose={() => leave(false)}>
      {isBelow ? (
        <Notice kind="warn" title="Too few contributions">
          The task has {count(status.contributions, 'contribution')} and needs {number(minimumOwners)}: the
          data user will refuse to close it, and it stays open. Wait for more owners, or cancel it.
        </Notice>
      ) : (
        <>
          <p>
            It has {count(status.contributions, 'contribution')}; at least {number(minimumOwners)}, at most{' '}
            {number(maximumOwners)}.
          </p>
          <p>
            Closing starts the computation: the data user adds up and blinds what has come, the CSP checks
            each owner’s record and decrypts the blinded sum once, and both compute the projection. Nobody can
            contribute or withdraw any more, and the task cannot be opened again.
          </p>
        </>
      )}
      <Problem error={close.error} title="The task was not closed">
        <p>You can try again: a task is closed once, however often it is said.</p>
      </Problem>
      <div class="row">
        <Button kind={isBelow ? 'plain' : 'main'} busy={close.busy} onClick={() => close.run()}>
          {isBelow ? 'Try to close it anyway' : 'Close and compute'}
        </Button>
        <Button onClick={() => leave(false)}>Leave it open</Button>
      </div>
    </Dialog>
  );
}

export function CancelDialog({ api, progress, leave }: EndProps) {
  const { taskId, contributions } = progress.status;
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const cancel = useAction(async (signal) => {
    await api.cancelTask({ taskId }, signal);
    leave(true);
  });
  return (
    <Dialog title="Cancel the task?" onClose={() => leave(false)}>
      <Notice kind="warn" title="This cannot be undone">
        {contributions === 0
          ? 'The task ends without a result.'
          : `The task ends without a result, and its ${count(contributions, 'contribution')} will be destroyed. Owners would have to contribute to another task.`}
      </Notice>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const isRight = typed.trim() === taskId;
          setWrong(!isRight);
          if (isRight) cancel.run();
        }}
      >
        <Field
          label={
            <>
              To confirm, type the id of the task: <span class="id">{taskId}</span>
            </>
          }
          error={isWrong ? 'This is not the id of the task.' : null}
        >
          {(attributes) => (
            <input
              {...attributes}
              value={typed}
              autoComplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <Problem error={cancel.error} title="The task was not cancelled">
          <p>You can try again: a task is cancelled once, however often it is said.</p>
        </Problem>
        <div class="row">
          <Button kind="danger" submit busy={cancel.busy}>
            Cancel the task and destroy its contributions
          </Button>
          <Button onClick={() => leave(false)}>Keep the task</Button>
        </div>
      </form>
    </Dialog>
  );
}
