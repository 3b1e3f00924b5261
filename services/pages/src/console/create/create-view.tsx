/** Creates a task from its JSON, which a draft, a file or the clipboard brings. */
import { newTaskId, type TaskId } from '@eigenveil/task/ids';
import type { TaskProposal } from '@eigenveil/task/schema';
import { errorCodeOf, isTransient } from '@eigenveil/wire/errors';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { bytes, count } from '../../common/format.ts';
import { View } from '../../common/layout.tsx';
import { Parameters } from '../../common/parameters.tsx';
import { useAction } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';
import { DraftWarnings } from '../draft/draft-warnings.tsx';
import type { Proposal } from '../draft/drafted.ts';
import { Forecast } from '../draft/forecast-view.tsx';
import type { Json } from '../draft/members.ts';
import { routes } from '../routes.ts';
import { checkProposal, type Fault, LARGEST_BYTES } from './check-proposal.ts';
import { Faults } from './faults.tsx';
import { showPlace } from './places.ts';

export function CreateView(props: {
  readonly api: ConsoleApi;
  readonly proposal: Proposal;
  readonly setProposal: (proposal: Proposal) => void;
}) {
  const { api, proposal, setProposal } = props;
  const { text, drafted } = proposal;
  const area = useRef<HTMLTextAreaElement>(null);
  const checked = useMemo(() => checkProposal(text, api.now()), [text, api]);
  const [isOver, setOver] = useState(false);
  const read = useAction(async (_signal, file: File) => {
    if (file.size > LARGEST_BYTES)
      throw new RangeError(`The file has ${bytes(file.size)}; a task has at most ${bytes(LARGEST_BYTES)}.`);
    setProposal({ text: await file.text(), drafted: null });
  });
  const bring = (files: FileList | null) => {
    if (files?.[0] !== undefined) read.run(files[0]);
  };
  const wayTo = ({ place }: Fault) =>
    place && { text: `Show line ${place.line}`, go: () => showPlace(area.current!, place) };
  return (
    <View title="Create a task" name="Create">
      <p>
        The task as JSON: from <a href={routes.href('draft', {})}>a draft</a>, or from a file. It is checked
        here as the data user will check it.
      </p>
      <Field label="File" hint="It stays in the browser until you create the task.">
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept=".json,application/json"
            onChange={(event) => bring(event.currentTarget.files)}
          />
        )}
      </Field>
      <Problem error={read.error} title="The file was not read" />
      <Field
        label="Task as JSON"
        hint="Paste it, or drop a file here."
        error={checked.kind === 'faulty' ? 'There are problems to fix: see below.' : null}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            ref={area}
            class={isOver ? 'over' : ''}
            rows={14}
            spellcheck={false}
            value={text}
            onInput={(event) => setProposal({ text: event.currentTarget.value, drafted })}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              setOver(false);
              const files = event.dataTransfer?.files;
              if (files === undefined || files.length === 0) return; // a text field takes the text by itself
              event.preventDefault();
              bring(files);
            }}
          />
        )}
      </Field>
      <p role="status">
        {checked.kind === 'faulty' &&
          `There ${checked.faults.length === 1 ? 'is' : 'are'} ${count(checked.faults.length, 'problem')} to fix.`}
        {checked.kind === 'good' && 'The task is valid.'}
      </p>
      {checked.kind === 'faulty' && (
        <Faults faults={checked.faults.map((it) => ({ words: it.words, way: wayTo(it) }))} />
      )}
      {checked.kind === 'good' && (
        <>
          <h2>What you are about to create</h2>
          <Parameters task={checked.proposal} now={api.now()} />
          <DraftWarnings drafted={drafted} task={checked.proposal} />
          <Forecast file={drafted?.file ?? null} value={checked.proposal as unknown as Json} />
          <Propose key={text} api={api} proposal={checked.proposal} />
        </>
      )}
    </View>
  );
}

/**
 * Sends a proposal, which has the same id however often it is sent: if asked again, the data user answers
 * with the same task.
 */
function Propose({ api, proposal }: { readonly api: ConsoleApi; readonly proposal: TaskProposal }) {
  const [id, setId] = useState<TaskId | null>(null);
  const create = useAction(async (signal) => {
    const mine = id ?? newTaskId();
    setId(mine);
    try {
      await api.createTask({ body: { ...proposal, id: mine } }, signal);
    } catch (error) {
      if (!isTransient(error)) setId(null); // after a refusal, another attempt is another task
      throw error;
    }
    location.hash = routes.href('task', { taskId: mine });
  });
  const isUnknown = create.error !== null && id !== null;
  return (
    <>
      <Problem error={create.error} title={isUnknown ? 'No answer yet' : 'The task was not created'}>
        {isUnknown && (
          <p>
            The data user may have taken the task. Try again: it has one id, so that there will not be two of
            it. <a href={routes.href('task', { taskId: id })}>See how far it is</a>
          </p>
        )}
        {errorCodeOf(create.error) === 'ERR_TASK_REFUSED' && (
          <p>The CSP’s operator decides what it allows. Change the task, or ask them.</p>
        )}
      </Problem>
      <Notice kind="info" title="A task never changes">
        The CSP signs it as it stands here. What is wrong afterwards needs another task.
      </Notice>
      <Button kind="main" busy={create.busy} onClick={() => create.run()}>
        {isUnknown ? 'Try again' : 'Create the task'}
      </Button>
    </>
  );
}
