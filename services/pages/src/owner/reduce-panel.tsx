/**
 * The owner's own rows, reduced by a result: as a file, and as a plot by label. They stay in this browser.
 */
import type { TaskResult } from '@eigenveil/data-owner/portable';
import { columnsFor } from '@eigenveil/projection/portable';
import { readBlobBytes } from '@eigenveil/statistics/owner';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice, Progress } from '../common/feedback.tsx';
import { inSlices, save } from '../common/files.ts';
import { count, number } from '../common/format.ts';
import { Groups, Plane } from '../common/plane.tsx';
import { groupsOf, type ReducedRows, readReduced } from '../common/reduced.ts';
import { useAction } from '../common/use-async.ts';
import { Check, Choice, FaultSummary, OwnerProblem, useFaults } from './fields.tsx';
import { FileForm } from './file-form.tsx';
import type { RowsReduced } from './jobs.ts';
import type { Owner } from './owner.ts';
import { problemTitle } from './problems.ts';
import { columnsTitle, fileFaults, otherColumns, type RowFile } from './row-file.ts';
import { RowPicture } from './row-picture.tsx';

const REDUCED = { id: 'reduced-file', label: 'File of rows to reduce' } as const;

interface Done {
  readonly reduced: RowsReduced;
  readonly drawn: ReducedRows;
}

export function ReducePanel({ owner, result }: { readonly owner: Owner; readonly result: TaskResult }) {
  const { task, projection, basis } = result;
  const [seen, setSeen] = useState<RowFile | null | undefined>(null);
  const rows = seen ?? null;
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [progress, setProgress] = useState<{
    readonly done: number;
    readonly total: number;
  } | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const { features } = columnsFor(task, basis);
  const columns = useMemo(() => ({ features, labellings: [] }), [features]);
  const others = rows === null ? [] : otherColumns(rows);
  const reduce = useAction(async (signal) => {
    setDone(null);
    const { strict: _, ...options } = rows!.form;
    const keptColumns = others.filter((name) => kept.has(name));
    const onProgress = (so: number, total: number) => setProgress({ done: so, total });
    try {
      const reduced = await owner.worker.reduceRows(
        {
          ...{ file: rows!.file, task, projection, basis, keptColumns },
          options,
        },
        { onProgress, signal },
      );
      const agreed = { features: [], components: projection.vectors.length };
      const bytes = inSlices(readBlobBytes(reduced.csv, 'reduced.csv'), signal);
      setDone({ reduced, drawn: await readReduced(bytes, agreed) });
    } finally {
      setProgress(null);
    }
  });
  const form = useFaults(fileFaults(REDUCED.id, REDUCED.label, rows), reduce.run);
  return (
    <section>
      <h2>Your rows, reduced</h2>
      <p>
        Your rows in the coordinates of the result. They stay in this browser, and in the file that you save.
        No guarantee of differential privacy covers them, whatever the task promises: keep them like the rows.
      </p>
      <FileForm
        worker={owner.worker}
        id={REDUCED.id}
        label={REDUCED.label}
        columns={columns}
        rows={rows}
        busy={reduce.busy}
        isStrict={false}
        onFile={() => {
          // Labels are the columns that colour a plot.
          setKept(new Set(task.labellings.map(({ column }) => column)));
          setDone(null);
          reduce.reset();
        }}
        onRows={setSeen}
      />
      {others.length > 0 && (
        <fieldset>
          <legend>Columns to carry over to the reduced rows</legend>
          <p class="hint">
            As they stand. All others of the file are left out. The plot can be coloured by them.
          </p>
          {others.map((name) => (
            <Check
              key={name}
              label={columnsTitle(rows!, name)}
              checked={kept.has(name)}
              onChecked={(on) => {
                const next = new Set(kept);
                if (on) next.add(name);
                else next.delete(name);
                setKept(next);
              }}
            />
          ))}
        </fieldset>
      )}
      <OwnerProblem error={reduce.error} title={problemTitle(reduce.error, 'The rows were not reduced')} />
      <FaultSummary title="Fix this before the rows are reduced" {...form.summary} />
      <Button kind="main" busy={reduce.busy || seen === undefined} onClick={form.submit}>
        Reduce the rows
      </Button>
      <div role="status">
        {progress !== null && (
          <Progress label="Reducing" done={progress.done} planned={progress.total} unit="bytes" />
        )}
      </div>
      {done !== null && <Reduced id={task.id} names={features.map(({ name }) => name)} {...done} />}
    </section>
  );
}

function Reduced(props: Done & { readonly id: string; readonly names: readonly string[] }) {
  const { id, names, reduced, drawn } = props;
  const { csv, rows } = reduced;
  return (
    <>
      <Notice kind="good" title={`${count(rows, 'row')} reduced`} live>
        <Button kind="main" onClick={() => save(`reduced-${id}.csv`, 'text/csv', csv)}>
          Save the reduced rows
        </Button>
      </Notice>
      <RowPicture names={names} read={reduced} />
      <Plot rows={drawn} />
    </>
  );
}

function Plot({ rows }: { readonly rows: ReducedRows }) {
  const { components, labelColumns, points, stride } = rows;
  const [label, setLabel] = useState(labelColumns.length > 0 ? '0' : '');
  const several = components.size > 1;
  const { groups, drawn } = useMemo(() => {
    const xs = components.get(0)!;
    const ys = components.get(1) ?? new Float32Array(xs.length);
    const grouped = groupsOf(xs, ys, label === '' ? null : labelColumns[Number(label)]!);
    return { groups: grouped.groups, drawn: { xs, ys, groups: grouped.of } };
  }, [components, labelColumns, label]);
  const axes = ['component_1', several ? 'component_2' : ''] as const;
  return (
    <>
      {labelColumns.length > 0 && (
        <Choice
          label="Colour by"
          value={label}
          options={[
            ['', 'nothing'],
            ...labelColumns.map(
              ({ name }, k) => [String(k), name.trim() === '' ? '(no name)' : name.slice(0, 60)] as const,
            ),
          ]}
          onValue={setLabel}
        />
      )}
      {stride > 1 && <p class="hint">Every {number(stride)}th row is drawn.</p>}
      <Plane
        label={`${count(points, 'reduced row')} in ${count(groups.length, 'group')}, ${axes[0]} along x${several ? `, ${axes[1]} along y` : ''}. The figures are in the table below.`}
        axes={axes}
        points={drawn}
        arrows={NO_ARROWS}
      />
      <Groups groups={groups} axes={[axes[0], several ? axes[1] : 'nothing']} />
    </>
  );
}

const NO_ARROWS = [] as const;
