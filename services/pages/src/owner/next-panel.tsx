/** The task that follows one that the owner has contributed to, where its policy agrees to a series. */
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { useAction } from '../common/use-async.ts';
import { OwnerProblem } from './problem.tsx';
import type { TaskPartProps } from './props.ts';
import { routes } from './routes.ts';

export function NextPanel({ owner, entry }: TaskPartProps) {
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
