/** Contributing: the worker reads a file, the owner sees a summary, and only then encrypted sums are sent. */
import { type Basis, DatasetName } from '@eigenveil/data-owner/portable';
import type { Words } from '@eigenveil/platform';
import { columnsFor } from '@eigenveil/projection/portable';
import { constantFeatures, type StatisticsTask, type Task } from '@eigenveil/task';
import { useRef, useState } from 'preact/hooks';
import { Button, Dialog } from '../common/controls.tsx';
import { Notice, Progress } from '../common/feedback.tsx';
import { count, number } from '../common/format.ts';
import { Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { Check, DatasetField, OwnerProblem } from './fields.tsx';
import { FileForm } from './file-form.tsx';
import type { RowsRead } from './jobs.ts';
import type { TaskPartProps } from './owner.ts';
import { type Form, type RowFile, USUAL_FORM } from './row-file.ts';
import { FILE_LABELS, pageWords } from './words.ts';

type Stage =
  | { readonly kind: 'reading' | 'encrypting'; readonly done: number; readonly total: number }
  | ({ readonly kind: 'confirming' } & Question)
  | { readonly kind: 'sending' };

interface Question {
  readonly read: RowsRead;
  /** Sentences about noise that is added to the owner's sums. */
  readonly ownFloor: readonly (Words | string)[];
  readonly answer: (isWanted: boolean) => void;
}

/** The owner has decided not to send the contribution. */
class Declined extends Error {}

export function ContributePanel(props: TaskPartProps & { readonly task: Task; readonly basis: Basis }) {
  const { owner, entry, lookAtEntry, task, basis } = props;
  const columns = columnsFor(task, basis);
  const [rows, setRows] = useState<RowFile | null>(null);
  const [form, setForm] = useState<Form>(USUAL_FORM);
  const [ignored, setIgnored] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState<string | null>(null);
  const datasets = useAsync(() => owner.datasets(entry.id), [owner, entry.id]);
  const dataset = (typed ?? (datasets.state === 'done' ? datasets.value.dataset : '')).trim();
  const [discardPending, setDiscard] = useState(false);
  const [stage, setStage] = useState<Stage | null>(null);
  const cancel = useRef<AbortController | null>(null);

  const contribute = useAction(async (gone) => {
    const control = new AbortController();
    cancel.current = control;
    try {
      const ignoredColumns = others.filter((name) => ignored.has(name));
      await owner.contribute(
        entry,
        rows!.file,
        { ...form, ignoredColumns, discardPending, dataset },
        {
          signal: AbortSignal.any([gone, control.signal]),
          onReading: (done, total) => setStage({ kind: 'reading', done, total }),
          onEncrypting: (done, total) =>
            setStage(done === total ? { kind: 'sending' } : { kind: 'encrypting', done, total }),
          confirm: (read, ownFloor) =>
            new Promise((resolve, reject) => {
              const answer = (isWanted: boolean) => {
                setStage(isWanted ? { kind: 'sending' } : null);
                if (isWanted) resolve();
                else reject(new Declined('nothing was sent'));
              };
              control.signal.addEventListener('abort', () => reject(control.signal.reason));
              gone.addEventListener('abort', () => reject(gone.reason));
              setStage({ kind: 'confirming', read, ownFloor, answer });
            }),
        },
      );
      lookAtEntry();
    } catch (error) {
      lookAtEntry(); // the prepared contribution is kept
      if (!(error instanceof Declined) && !control.signal.aborted) throw error;
    } finally {
      setStage(null);
    }
  });

  const used = new Set([
    ...columns.features.map(({ name }) => name),
    ...task.labellings.map(({ column }) => column),
  ]);
  const others = rows === null ? [] : rows.columns.filter((name) => !used.has(name));
  const missing = rows === null ? [] : [...used].filter((name) => !rows.columns.includes(name));
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
      <FileForm
        label="Your file of rows"
        rows={rows}
        form={form}
        busy={contribute.busy}
        isStrict
        onRows={(next, how) => {
          setForm(how);
          if (next?.file !== rows?.file) setIgnored(new Set());
          setRows(next);
        }}
      />
      {rows !== null && (
        <>
          <p>
            The task takes {count(columns.features.length, 'feature')}
            {task.labellings.map(({ column }, i) => (
              <span key={column}>
                {i === 0 ? ' and, for the labels, the column ' : ' and '}
                <Untrusted text={column} />
              </span>
            ))}
            {missing.length === 0 ? '; your file has them all.' : '.'}
          </p>
          {missing.length > 0 && (
            <Notice
              kind="bad"
              title={`${count(missing.length, 'column')} of the task not found in the file`}
              live
            >
              <p>
                {missing.slice(0, 5).map((name, i) => (
                  <span key={name}>
                    {i > 0 && ', '}
                    <Untrusted text={name} longest={60} />
                  </span>
                ))}
                {missing.length > 5 && ' …'}. Is the file written otherwise, see above, or another one?
              </p>
            </Notice>
          )}
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
        </>
      )}
      <DatasetField
        value={typed ?? dataset}
        hint={`What they spend is counted under it. Rows that have any in common with others have the same name. ${
          datasets.state === 'done' && datasets.value.known.length > 0
            ? `Until now: ${datasets.value.known.join(', ')}.`
            : 'Leave it if all your rows belong together.'
        }`}
        onValue={setTyped}
      />
      {entry.isPending && task.differentialPrivacy?.noise !== 'owners' && (
        <Check
          label={FILE_LABELS.discard}
          hint="Only if you cannot give the same rows again. The data user may have taken the first ones: then it refuses these."
          checked={discardPending}
          onChecked={setDiscard}
        />
      )}
      <OwnerProblem error={contribute.error} title="Nothing was acknowledged" />
      <div class="row">
        <Button
          kind="main"
          busy={contribute.busy}
          disabled={
            rows === null ||
            missing.length > 0 ||
            others.some((name) => !ignored.has(name)) ||
            !DatasetName.safeParse(dataset).success
          }
          onClick={() => contribute.run()}
        >
          Read the file
        </Button>
        {contribute.busy && stage?.kind !== 'sending' && (
          <Button onClick={() => cancel.current?.abort()}>Stop</Button>
        )}
      </div>
      <div role="status">
        {stage?.kind === 'reading' && (
          <Progress label="Reading" done={stage.done} planned={stage.total} unit="bytes" />
        )}
        {stage?.kind === 'encrypting' && (
          <Progress label="Encrypting" done={stage.done} planned={stage.total} unit="ciphertexts" />
        )}
        {stage?.kind === 'sending' && <p>Encrypting and sending…</p>}
      </div>
      {stage?.kind === 'confirming' && <Confirm features={columns.features} {...stage} />}
    </section>
  );
}

function Confirm(props: Question & { readonly features: StatisticsTask['features'] }) {
  const { features, read, ownFloor, answer } = props;
  const clipped = features
    .map(({ name }, i) => ({ name, cells: read.clippedCells[i]! }))
    .filter(({ cells }) => cells > 0);
  const constant = constantFeatures({ features });
  return (
    <Dialog title="This was read. Send it?" onClose={() => answer(false)}>
      <dl class="facts">
        <dt>Rows</dt>
        <dd>{number(read.rows)}</dd>
        <dt>Rows left out</dt>
        <dd>{number(read.skippedRows)}</dd>
        <dt>Cells clipped to their range</dt>
        <dd>{number(clipped.reduce((sum, { cells }) => sum + cells, 0))}</dd>
      </dl>
      {read.skippedRows > 0 && (
        <p>Take care: {count(read.skippedRows, 'row')} had a missing cell, and do not count.</p>
      )}
      {clipped.length > 0 && (
        <>
          <p>Take care: cells outside of the agreed ranges count as the end of the range.</p>
          <Table
            caption="Clipped cells"
            rows={clipped}
            keyOf={({ name }) => name}
            columns={[
              { head: 'Feature', cell: ({ name }) => <Untrusted text={name} longest={60} /> },
              { head: 'Cells', numeric: true, cell: ({ cells }) => number(cells) },
            ]}
          />
        </>
      )}
      {read.clippedRows > 0 && (
        <p>{count(read.clippedRows, 'row')} longer than the clipping norm of the task: scaled down to it.</p>
      )}
      {constant.map((name) => (
        <p key={name}>
          Feature <Untrusted text={name} longest={60} /> has an empty range and carries nothing.
        </p>
      ))}
      {ownFloor.map((words) => (
        <p key={String(words)}>
          <Untrusted text={pageWords(words)} longest={2000} />
        </p>
      ))}
      <p>What is sent are encrypted sums over these rows, and your signature. The rows stay here.</p>
      <div class="row">
        <Button kind="main" onClick={() => answer(true)}>
          Encrypt and send
        </Button>
        <Button onClick={() => answer(false)}>Do not send</Button>
      </div>
    </Dialog>
  );
}
