/** Contributing: the worker reads a file, the owner sees a summary, and only then encrypted sums are sent. */
import type { Basis } from '@eigenveil/data-owner/portable';
import { methodOf } from '@eigenveil/methods';
import type { CodedError } from '@eigenveil/platform';
import { columnsFor } from '@eigenveil/projection/portable';
import { csvLine } from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { capital, count } from '../common/format.ts';
import { Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { ConfirmDialog, type Question } from './confirm-dialog.tsx';
import {
  Check,
  datasetFaults,
  FaultSummary,
  type FieldFault,
  OwnerProblem,
  TextField,
  useFaults,
} from './fields.tsx';
import { FileForm } from './file-form.tsx';
import type { DatasetBudget, TaskPartProps } from './owner.ts';
import { problemTitle } from './problems.ts';
import { columnsTitle, fileFaults, otherColumns, type RowFile } from './row-file.ts';
import { SendingStatus, type Step } from './sending-status.tsx';
import { FILE_LABELS, leftInWords, pageWords } from './words.ts';

/** The ids of the controls that a summary of faults leads to, and the label of the file's. */
const ROWS = {
  file: 'rows-file',
  label: 'Your file of rows',
  other: 'rows-other-',
  dataset: 'rows-dataset',
} as const;

const STOPPED = {
  empty: 'Nothing was sent, and nothing is kept of it. Read the file again to go on.',
  kept: 'Read the same file again to go on. What was prepared is kept, and counted once.',
} as const;

/** The owner has decided not to send the contribution. */
class Declined extends Error {}

export function ContributePanel(
  props: TaskPartProps & {
    readonly task: Task;
    readonly basis: Basis;
    /** The results that the known data sets can still give to the task. */
    readonly budgets: readonly DatasetBudget[];
  },
) {
  const { owner, entry, lookAtEntry, task, basis, budgets } = props;
  const columns = columnsFor(task, basis);
  const [seen, setSeen] = useState<RowFile | null | undefined>(null);
  const rows = seen ?? null;
  const [ignored, setIgnored] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState<string | null>(null);
  const datasets = useAsync(() => owner.datasets(entry.id), [owner, entry.id]);
  const dataset = (typed ?? (datasets.state === 'done' ? datasets.value.dataset : '')).trim();
  // The verdict is about the name that is there at first.
  const isNamed = typed !== null && datasets.state === 'done' && dataset !== datasets.value.dataset;
  const unnamed = datasetFaults(ROWS.dataset, dataset);
  const budget = useAsync(async () => {
    const known = budgets.find((it) => it.dataset === dataset);
    if (known !== undefined) return known;
    return unnamed.length === 0 ? owner.afford(entry.id, task, dataset) : null;
  }, [owner, entry, task, dataset, budgets]);
  const afforded = budget.state === 'done' ? budget.value : null;
  const overBudget = afforded?.overBudget ?? null;
  const [discardPending, setDiscard] = useState(false);
  const [step, setStep] = useState<Step | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [retry, setRetry] = useState<CodedError | null>(null);
  const [stopped, setStopped] = useState<keyof typeof STOPPED | null>(null);
  const cancel = useRef<AbortController | null>(null);

  const contribute = useAction(async (gone) => {
    const control = new AbortController();
    cancel.current = control;
    setStopped(null);
    const signal = AbortSignal.any([gone, control.signal]);
    const at = (kind: Step['kind']) => (done: number, total: number | null) => {
      setRetry(null);
      setStep({ kind, done, total });
    };
    const confirm: Parameters<typeof owner.contribute>[3]['confirm'] = (read, ownFloor) =>
      new Promise((resolve, reject) => {
        const answer = (isWanted: boolean) => {
          setQuestion(null);
          if (!isWanted) return reject(new Declined('nothing was sent'));
          at('sending')(0, null);
          resolve();
        };
        signal.addEventListener('abort', () => reject(signal.reason));
        setStep(null);
        setQuestion({ read, ownFloor, answer });
      });
    try {
      const ignoredColumns = otherColumns(rows!).filter((name) => ignored.has(name));
      await owner.contribute(
        entry,
        rows!.file,
        { ...rows!.form, ignoredColumns, discardPending, dataset },
        {
          signal,
          onReading: at('reading'),
          onEncrypting: (done, total) =>
            done === total ? at('sending')(0, null) : at('encrypting')(done, total),
          onSending: at('sending'),
          onRetry: setRetry,
          confirm,
        },
      );
      lookAtEntry();
    } catch (error) {
      lookAtEntry(); // the prepared contribution is kept
      if (control.signal.aborted)
        setStopped((await owner.state.pending(entry.id)) === undefined ? 'empty' : 'kept');
      if (!(error instanceof Declined) && !control.signal.aborted) throw error;
    } finally {
      setStep(null);
      setQuestion(null);
      setRetry(null);
    }
  });

  // The focus goes back to the button, where the one with the focus has gone.
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (stopped !== null && !contribute.busy) buttons.current?.querySelector('button')?.focus();
  }, [stopped, contribute.busy]);

  const others = rows === null ? [] : otherColumns(rows);
  const open = others.filter((name) => !ignored.has(name));
  const ofName: FieldFault[] =
    overBudget === null
      ? unnamed
      : [{ id: ROWS.dataset, label: FILE_LABELS.dataset, words: capital(pageWords(overBudget)) }];
  const ofColumns: FieldFault[] =
    open.length === 0
      ? []
      : [
          {
            id: `${ROWS.other}${others.indexOf(open[0]!)}`,
            label: FILE_LABELS.ignore,
            words: `Tick ${count(open.length, 'column')}, or choose a file without them`,
          },
        ];
  const form = useFaults(
    [...fileFaults(ROWS.file, ROWS.label, rows), ...ofColumns, ...ofName],
    contribute.run,
  );
  return (
    <section>
      <h2>Contribute</h2>
      {entry.isPending && (
        <Notice kind="warn" title="A contribution was prepared, and has no receipt yet">
          <p>
            Choose the same file again: the very same bytes are sent once more, and counted once. They may
            have arrived already.
          </p>
        </Notice>
      )}
      <p>
        The task takes {count(columns.features.length, 'feature')}
        {task.labellings.map(({ column }, i) => (
          <span key={column}>
            {i === 0 ? ' and, for the labels, the column ' : ' and '}
            <Untrusted text={column} />
          </span>
        ))}
        .{' '}
        <Button
          onClick={() => {
            const names = new Set([
              ...columns.features.map(({ name }) => name),
              ...task.labellings.map(({ column }) => column),
            ]);
            save(`template-${task.id}.csv`, 'text/csv', `${csvLine([...names])}\n`);
          }}
        >
          Download a template
        </Button>
      </p>
      <FileForm
        worker={owner.worker}
        id={ROWS.file}
        label={ROWS.label}
        columns={columns}
        countsUnreadable={methodOf(task).sums(task).counts.length > 0}
        rows={rows}
        busy={contribute.busy}
        isStrict
        onFile={() => {
          setIgnored(new Set());
          setStopped(null);
          contribute.reset();
        }}
        onRows={setSeen}
      />
      {others.length > 0 && (
        <fieldset>
          <legend>{FILE_LABELS.ignore}</legend>
          <p class="hint">The task does not know them. Tick each to leave it out knowingly.</p>
          {others.map((name, i) => (
            <Check
              key={name}
              id={`${ROWS.other}${i}`}
              label={columnsTitle(rows!, name)}
              checked={ignored.has(name)}
              onChecked={(on) => {
                const next = new Set(ignored);
                if (on) next.add(name);
                else next.delete(name);
                setIgnored(next);
              }}
            />
          ))}
          <Button onClick={() => setIgnored(new Set(others))}>Leave all of them out</Button>
        </fieldset>
      )}
      <TextField
        id={ROWS.dataset}
        label={FILE_LABELS.dataset}
        value={typed ?? dataset}
        hint={`What they spend is counted under it. Rows that have any in common with others have the same name. ${
          datasets.state === 'done' && datasets.value.known.length > 0
            ? `Until now: ${datasets.value.known.join(', ')}.`
            : 'Leave it if all your rows belong together.'
        }`}
        error={typed === '' ? form.wrong(ROWS.dataset) : (ofName[0]?.words ?? null)}
        onValue={setTyped}
      />
      {isNamed && afforded !== null && overBudget === null && (
        <p class="hint" role="status">
          {leftInWords(afforded, false)}
        </p>
      )}
      {entry.isPending && task.differentialPrivacy?.noise !== 'owners' && (
        <Check
          label={FILE_LABELS.discard}
          hint="Only if you cannot give the same rows again. The data user may have taken the first ones: then it refuses these."
          checked={discardPending}
          onChecked={setDiscard}
        />
      )}
      <OwnerProblem
        error={contribute.error}
        title={problemTitle(contribute.error, 'The contribution was refused')}
      />
      {stopped !== null && (
        <Notice kind="info" title="Stopped" live>
          <p>{STOPPED[stopped]}</p>
        </Notice>
      )}
      <FaultSummary title="Fix these before your file is read" {...form.summary} />
      <div class="row" ref={buttons}>
        <Button kind="main" busy={contribute.busy || seen === undefined} onClick={form.submit}>
          Read the file
        </Button>
        {contribute.busy && <Button onClick={() => cancel.current?.abort()}>Stop</Button>}
      </div>
      <SendingStatus step={step} retry={retry} />
      {question !== null && <ConfirmDialog features={columns.features} {...question} />}
    </section>
  );
}
