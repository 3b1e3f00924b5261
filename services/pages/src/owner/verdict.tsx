/**
 * Says whether this owner's policy, device and budget allow a task, before a row is read; and what the owner can do
 * where they do not.
 */
import type { BrokenRule, OwnerPolicy } from '@eigenveil/data-owner/portable';
import type { Task } from '@eigenveil/task';
import { useState } from 'preact/hooks';
import { Button, Dialog } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { capital } from '../common/format.ts';
import { Untrusted } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import type { PolicyChange } from './database.ts';
import { Persistence } from './device-view.tsx';
import { OwnerProblem } from './fields.tsx';
import type { DatasetBudget, TaskPartProps } from './owner.ts';
import { routes } from './routes.ts';
import { allowedInWords, changeInWords, leftInWords, pageWords } from './words.ts';

interface Inspected {
  readonly task: Task;
  readonly broken: readonly BrokenRule[];
  readonly policy: OwnerPolicy;
  /** First that of the data set which is taken unless the owner names another. */
  readonly budgets: readonly [DatasetBudget, ...DatasetBudget[]];
}

/** Returns whether policy and device allow the task: under differential privacy nothing may be forgotten. */
export function isAllowed({ task, broken }: Pick<Inspected, 'task' | 'broken'>, isDurable: boolean): boolean {
  return broken.length === 0 && (task.differentialPrivacy === null || isDurable);
}

/** @param onException called once something was allowed for this task alone */
export function Verdict(props: TaskPartProps & Inspected & { readonly onException: () => void }) {
  const { owner, task, broken, policy, budgets } = props;
  const { isDurable } = owner.state;
  return (
    <section>
      <h2>What your policy says</h2>
      {broken.length > 0 && <Refusal {...props} />}
      {task.differentialPrivacy !== null && !isDurable && !props.entry.isPending && (
        <>
          <Notice kind="bad" title="This device cannot take part under differential privacy">
            <p>
              If it forgot what it has sent, the same rows could be counted, and noise be drawn, twice; then
              the guarantee would not hold.
              {props.status.isBare && ' The key came here by its backup alone.'}
            </p>
          </Notice>
          {!props.status.isBare && <Persistence {...props} />}
        </>
      )}
      {isAllowed(props, isDurable) && (
        <Budget task={task} policy={policy} budgets={budgets} isCounted={props.entry.isPending} />
      )}
    </section>
  );
}

function Refusal({ owner, entry, broken, onException }: Parameters<typeof Verdict>[0]) {
  const [isOpen, setOpen] = useState(false);
  // The last of several changes of one member has the others in it.
  const changes: PolicyChange = Object.assign({}, ...broken.map(({ change }) => change));
  const allow = useAction(async () => {
    await owner.state.makeException(entry.id, changes);
    setOpen(false);
    onException();
  });
  const isAllowable = broken.every(({ change }) => Object.keys(change).length > 0);
  return (
    <Notice kind="bad" title="Your policy refuses this task">
      <p>
        {entry.isPending
          ? 'What was prepared before may have arrived, so it can be sent again all the same. Other rows are refused.'
          : 'Nothing is read, and nothing can be contributed.'}
      </p>
      <ul>
        {broken.map(({ rule }) => (
          <li key={String(rule)}>
            <Untrusted text={capital(pageWords(rule))} longest={400} />
          </li>
        ))}
      </ul>
      {!isAllowable && <p>No change of your policy allows it.</p>}
      {isAllowable && (
        <>
          <p>If you trust who asks, you can allow it for this task alone, or for all tasks:</p>
          <div class="row">
            <Button onClick={() => setOpen(true)}>Allow for this task only…</Button>
            <a href={routes.href('policyOfTask', { taskId: entry.id })}>Change your policy</a>
          </div>
          <details>
            <summary>What would have to change in your policy</summary>
            <ul>
              {Object.entries(changes).map(([name, value]) => (
                <li key={name}>{capital(changeInWords(name, value))}</li>
              ))}
            </ul>
          </details>
        </>
      )}
      {isOpen && (
        <Dialog title="Allow this for this task only?" onClose={() => setOpen(false)}>
          <p>For this task, and no other, this is then allowed, and the rest of your policy stays:</p>
          <ul>
            {Object.entries(changes).map(([name, value]) => (
              <li key={name}>{capital(allowedInWords(name, value))}</li>
            ))}
          </ul>
          <OwnerProblem error={allow.error} />
          <div class="row">
            <Button kind="danger" busy={allow.busy} onClick={() => allow.run()}>
              Allow for this task
            </Button>
            <Button onClick={() => setOpen(false)}>Refuse it still</Button>
          </div>
        </Dialog>
      )}
    </Notice>
  );
}

/** Says whether the data sets have enough left, and how many results they can give after this one. */
function Budget(props: Pick<Inspected, 'task' | 'policy' | 'budgets'> & { readonly isCounted: boolean }) {
  const { task, policy, budgets, isCounted } = props;
  const { minimumClassRows } = policy;
  const [taken, ...others] = budgets;
  const spent = others.filter(({ overBudget }) => overBudget !== null);
  const rest = (
    <>
      {spent.length > 0 && (
        <p>Too little is left of {spent.map(({ dataset }) => `“${dataset}”`).join(', ')}.</p>
      )}
      {minimumClassRows !== undefined && task.outputs.includes('classCounts') && (
        <p>Unless your file has fewer than {minimumClassRows} rows of a class that it has any of.</p>
      )}
    </>
  );
  if (taken.overBudget !== null)
    return (
      <Notice kind="bad" title={`Your policy allows this task, but not for the rows “${taken.dataset}”`}>
        <p>
          <Untrusted text={capital(pageWords(taken.overBudget))} longest={400} />
        </p>
        <p>
          Contribute other rows under a name of their own, or{' '}
          <a href={routes.href('policy', {})}>see what your rows have spent</a>.
        </p>
        {rest}
      </Notice>
    );
  return (
    <Notice kind="good" title="Your policy allows this task">
      <p>{leftInWords(taken, isCounted)}</p>
      {rest}
    </Notice>
  );
}
