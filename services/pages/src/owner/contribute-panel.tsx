/** Contributing: the worker reads a file, the owner sees a summary, and only then encrypted sums are sent. */
import { type Basis, DatasetName } from '@eigenveil/data-owner/portable';
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
import { Check, DatasetField, OwnerProblem } from './fields.tsx';
import { FileForm } from './file-form.tsx';
import type { DatasetBudget, TaskPartProps } from './owner.ts';
import { problemTitle } from './problems.ts';
import { isReadable, otherColumns, type RowFile } from './row-file.ts';
import { SendingStatus, type Step } from './sending-status.tsx';
import { leftInWords } from './verdict.tsx';
import { FILE_LABELS, pageWords } from './words.ts';

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
  const [rows, setRows] = useState<RowFile | null>(null);
  const [ignored, setIgnored] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState<string | null>(null);
  const datasets = useAsync(() => owner.datasets(entry.id), [owner, entry.id]);
  const dataset = (typed ?? (datasets.state === 'done' ? datasets.value.dataset : '')).trim();
  // The verdict is about the name that is there at first.
  const isNamed = typed !== null && datasets.state === 'done' && dataset !== datasets.value.dataset;
  const budget = useAsync(async () => {
    const known = budgets.find((it) => it.dataset === dataset);
    if (known !== undefined) return known;
    return DatasetName.safeParse(dataset).success ? owner.afford(entry.id, task, dataset) : null;
  }, [owner, entry, task, dataset, budgets]);
  const afforded = budget.state === 'done' ? budget.value : null;
  const overBudget = afforded?.overBudget ?? null;
  const [discardPending, setDiscard] = useState(false);
  const [step, setStep] = useState<Step | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [retry, setRetry] = useState<CodedError | null>(null);
  const [isStopped, setStopped] = useState(false);
  const cancel = useRef<AbortController | null>(null);

  const contribute = useAction(async (gone) => {
    const control = new AbortController();
    cancel.current = control;
    setStopped(false);
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
      setStopped(control.signal.aborted);
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
    if (isStopped && !contribute.busy) buttons.current?.querySelector('button')?.focus();
  }, [isStopped, contribute.busy]);

  const others = rows === null ? [] : otherColumns(rows);
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
        label="Your file of rows"
        columns={columns}
        countsUnreadable={methodOf(task).sums(task).counts.length > 0}
        rows={rows}
        busy={contribute.busy}
        isStrict
        onFile={() => {
          setIgnored(new Set());
          setStopped(false);
          contribute.reset();
        }}
        onRows={setRows}
      />
      {others.length > 0 && (
        <fieldset>
          <legend>{FILE_LABELS.ignore}</legend>
          <p class="hint">The task does not know them. Tick each to leave it out knowingly.</p>
          {others.map((name) => (
            <Check
              key={name}
              label={name}
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
      <DatasetField
        value={typed ?? dataset}
        hint={`What they spend is counted under it. Rows that have any in common with others have the same name. ${
          datasets.state === 'done' && datasets.value.known.length > 0
            ? `Until now: ${datasets.value.known.join(', ')}.`
            : 'Leave it if all your rows belong together.'
        }`}
        fault={overBudget === null ? null : capital(pageWords(overBudget))}
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
      {isStopped && (
        <Notice kind="info" title="Stopped" live>
          <p>Read the file again to go on. What was prepared is kept, and counted once.</p>
        </Notice>
      )}
      <div class="row" ref={buttons}>
        <Button
          kind="main"
          busy={contribute.busy}
          disabled={
            rows === null ||
            !isReadable(rows) ||
            others.some((name) => !ignored.has(name)) ||
            afforded === null ||
            overBudget !== null
          }
          onClick={() => contribute.run()}
        >
          Read the file
        </Button>
        {contribute.busy && <Button onClick={() => cancel.current?.abort()}>Stop</Button>}
      </div>
      <SendingStatus step={step} retry={retry} />
      {question !== null && <ConfirmDialog features={columns.features} {...question} />}
    </section>
  );
}
