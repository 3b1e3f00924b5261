/** The result of a task, the statements that vouch for it, and the owner's own rows reduced by it. */
import type { TaskResult } from '@eigenveil/data-owner/portable';
import { methodOf } from '@eigenveil/methods';
import type { TaskState } from '@eigenveil/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { count } from '../common/format.ts';
import { Grouped } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import { OWNER_RESULTS } from '../methods/owner-results.tsx';
import { OwnerProblem } from './fields.tsx';
import type { TaskPartProps } from './owner.ts';
import { resultTitle } from './problems.ts';
import type { Fetched } from './progress.ts';

type Waiting = 'asking' | 'down' | 'unready';

const WAITING = {
  asking: 'Asking the data user…',
  down: 'No connection to the data user: nobody knows yet whether there is a result. Retrying…',
  unready: 'There is no result yet. This page asks again by itself.',
} as const satisfies Record<Waiting, string>;

export function ResultPanel(
  props: TaskPartProps & {
    /** The state of the task, as the data user tells it. */
    readonly state: TaskState | null;
    readonly onFetched: (fetched: Fetched) => void;
  },
) {
  const { owner, entry, lookAtEntry, state, onFetched } = props;
  const [result, setResult] = useState<TaskResult | null>(null);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const stop = useRef<AbortController | null>(null);
  const fetched = useAction(async (gone) => {
    const control = new AbortController();
    stop.current = control;
    setWaiting('asking');
    onFetched('fetching');
    try {
      const signal = AbortSignal.any([gone, control.signal]);
      setResult(
        await owner.result(entry, signal, (_reason, isDown) => setWaiting(isDown ? 'down' : 'unready')),
      );
      onFetched('checked');
    } catch (error) {
      onFetched('none');
      if (control.signal.aborted) return;
      lookAtEntry(); // the task may have failed, or been cancelled, meanwhile
      throw error;
    } finally {
      setWaiting(null);
    }
  });
  return (
    <section>
      <h2>The result</h2>
      {result === null && (
        <>
          <p>{STATES[state ?? 'open'] ?? 'It is being computed. Then it is fetched and checked here.'}</p>
          <OwnerProblem error={fetched.error} title={resultTitle(fetched.error)} />
          <div class="row">
            <Button kind="main" busy={fetched.busy} onClick={() => fetched.run()}>
              {state === 'failed' ? 'Ask for the reason' : 'Get the result'}
            </Button>
            {fetched.busy && <Button onClick={() => stop.current?.abort()}>Stop waiting</Button>}
          </div>
          <p role="status">{waiting !== null && waitingInWords(waiting, state)}</p>
        </>
      )}
      {result !== null && <Result owner={owner} result={result} />}
    </section>
  );
}

/** Says what one waits for: the state of the task may be newer than the last answer about its result. */
function waitingInWords(waiting: Waiting, state: TaskState | null): string {
  return WAITING[waiting === 'unready' && state === 'done' ? 'asking' : waiting];
}

const STATES: Readonly<Partial<Record<TaskState, string>>> = {
  open: 'There is one once the data user has closed the task and computed it with the CSP. Then it is fetched and checked here.',
  done: 'The data user has it. It is checked here once you get it.',
  failed: 'There is none: the task has failed. The data user tells you why.',
};

function Result({ owner, result }: { readonly owner: TaskPartProps['owner']; readonly result: TaskResult }) {
  const { task, projection, provenance, evidence } = result;
  const MethodResult = OWNER_RESULTS[methodOf(task).name];
  const begin = useRef<HTMLDivElement>(null);
  useEffect(() => begin.current!.focus(), []);
  return (
    <>
      <div ref={begin} tabIndex={-1} class="next">
        <Notice kind="good" title="The result is checked" live>
          <p>
            {count(provenance.verifiedOwners, 'owner')} took part, you among them: the CSP has signed that
            your contribution is one of those that it verified, and has countersigned this result and no
            other. The data user has signed it. Nobody vouches for what the data user has added up, or for
            others’ rows.
          </p>
        </Notice>
      </div>
      <dl class="facts">
        <dt>Digest of the result</dt>
        <dd>
          <Grouped value={provenance.projectionDigest} />
        </dd>
      </dl>
      <p>Owners who see the same digest have the same result: compare it with one that you know.</p>
      <div class="row">
        <Button
          onClick={() =>
            save(`projection-${task.id}.json`, 'application/json', `${JSON.stringify(projection, null, 2)}\n`)
          }
        >
          Save the projection
        </Button>
        <Button
          onClick={() =>
            save(`evidence-${task.id}.json`, 'application/json', `${JSON.stringify(evidence)}\n`)
          }
        >
          Save all that was signed
        </Button>
      </div>
      <MethodResult owner={owner} result={result} />
    </>
  );
}
