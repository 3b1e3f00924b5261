/**
 * Two components as a plane: arrows of features, and reduced rows of a file that was dropped here, by label.
 */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { readBlobBytes } from '@eigenveil/statistics/owner';
import type { Projection } from '@eigenveil/wire';
import { printable } from '@eigenveil/wire/printable';
import { useMemo, useState } from 'preact/hooks';
import { Button, Field, FileDrop } from '../common/controls.tsx';
import { Notice, Problem } from '../common/feedback.tsx';
import { inSlices } from '../common/files.ts';
import { count, number } from '../common/format.ts';
import { type Arrow, Groups, Plane } from '../common/plane.tsx';
import {
  DRAWING_CODES,
  groupsOf,
  type LabelColumn,
  type ReducedRows,
  readReduced,
} from '../common/reduced.ts';
import { Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import { arrowsOf, longest, stretchOf } from './figures.ts';

/** The most arrows: more hide each other. */
const MOST_ARROWS = 25;
const NO_ARROWS: readonly Arrow[] = [];

export function Biplot({ projection }: { readonly projection: Projection }) {
  const { vectors, features } = projection;
  const [a, setA] = useState(0);
  const [b, setB] = useState(Math.min(1, vectors.length - 1));
  const [reduced, setReduced] = useState<ReducedRows | null>(null);
  const [label, setLabel] = useState<LabelColumn | null>(null);
  const [hasArrows, setArrows] = useState(true);
  const read = useAction(async (signal, file: File) => {
    setReduced(null);
    const names = features.map(({ name }) => name);
    const agreed = { features: names, components: vectors.length };
    const rows = await readReduced(inSlices(readBlobBytes(file, file.name), signal), agreed);
    setReduced(rows);
    setLabel(rows.labelColumns[0] ?? null);
  });
  const forget = () => {
    setReduced(null);
    setLabel(null);
  };

  const points = useMemo(() => {
    const [xs, ys] = [reduced?.components.get(a), reduced?.components.get(b)];
    if (reduced === null || xs === undefined || ys === undefined) return null;
    const { groups, of } = groupsOf(xs, ys, label);
    return { groups, drawn: { xs, ys, groups: of } };
  }, [reduced, a, b, label]);
  const all = useMemo(() => arrowsOf(projection, a, b), [projection, a, b]);
  const { arrows, stretch } = useMemo(() => {
    const shown = longest(all, MOST_ARROWS);
    const stretched = points === null ? 1 : stretchOf(shown, farthestOf(points.drawn));
    return {
      arrows: shown.map(({ feature, x, y }) => ({ feature, x: x * stretched, y: y * stretched })),
      stretch: stretched,
    };
  }, [all, points]);

  const axes = [`component ${a + 1}`, `component ${b + 1}`] as const;
  const label_ = `${axes[0]} along x and ${axes[1]} along y: ${points === null ? '' : `${number(points.drawn.xs.length)} reduced rows in ${count(points.groups.length, 'group')}, `}${hasArrows ? `${count(arrows.length, 'arrow')} of features` : 'no arrows'}. The figures are in the tables below.`;
  return (
    <>
      <h2>Biplot</h2>
      <p>
        An arrow shows what a feature counts in two components
        {methodOf(projection).decomposes === 'pencil'
          ? ''
          : ', times the root of their eigenvalues: long arrows vary most'}
        . Drop reduced rows to see them as points.
      </p>
      <div class="columns">
        <Pick name="Along x" count={vectors.length} value={a} set={setA} />
        <Pick name="Along y" count={vectors.length} value={b} set={setB} />
        {reduced !== null && reduced.labelColumns.length > 0 && (
          <Field label="Colour by">
            {(attributes) => (
              <select
                {...attributes}
                value={label === null ? '' : reduced.labelColumns.indexOf(label)}
                onChange={({ currentTarget: { value } }) =>
                  setLabel(value === '' ? null : reduced.labelColumns[Number(value)]!)
                }
              >
                <option value="">nothing</option>
                {reduced.labelColumns.map(({ name }, k) => (
                  <option key={name} value={k}>
                    {printable(name, 60)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field label="Show the arrows">
          {(attributes) => (
            <input
              {...attributes}
              type="checkbox"
              checked={hasArrows}
              onChange={({ currentTarget: { checked } }) => setArrows(checked)}
            />
          )}
        </Field>
      </div>
      <FileDrop
        label="Reduced rows"
        hint="A CSV file (or .csv.gz) of reduced rows, from an owner who shares it with you. It is read in this page alone, and never leaves your browser."
        accept=".csv,.gz,text/csv"
        busy={read.busy}
        onFile={read.run}
      />
      <Refusal error={read.error} />
      {reduced !== null && (
        <p role="status">
          {count(reduced.rows, 'reduced row')}
          {reduced.stride > 1 && `, of which every ${reduced.stride}th is drawn`}
          {points === null && '; the file lacks one of the two components'}.{' '}
          <Button onClick={forget}>Remove these rows</Button>
        </p>
      )}
      <Plane
        label={label_}
        axes={axes}
        points={points?.drawn ?? null}
        arrows={hasArrows ? arrows : NO_ARROWS}
      />
      {points !== null && <Groups groups={points.groups} axes={axes} />}
      {stretch !== 1 && hasArrows && (
        <p class="hint">
          Arrows are {stretch.toPrecision(3)} times their length, so that they are seen among the points.
        </p>
      )}
      {all.length > arrows.length && (
        <p class="hint">
          The {arrows.length} longest of {all.length} arrows are drawn.
        </p>
      )}
      <details>
        <summary>The arrows as a table</summary>
        <Table
          caption="Arrows of the features, at their own length"
          captionHidden
          rows={all}
          keyOf={(_, i) => i}
          columns={[
            { head: 'Feature', cell: ({ feature }) => <Untrusted text={feature} /> },
            { head: axes[0], numeric: true, cell: ({ x }) => x.toPrecision(4) },
            { head: `${axes[1]} `, numeric: true, cell: ({ y }) => y.toPrecision(4) },
          ]}
        />
      </details>
    </>
  );
}

function Pick(props: {
  readonly name: string;
  readonly count: number;
  readonly value: number;
  readonly set: (component: number) => void;
}) {
  return (
    <Field label={props.name}>
      {(attributes) => (
        <select
          {...attributes}
          value={props.value}
          onChange={({ currentTarget: { value } }) => props.set(Number(value))}
        >
          {Array.from({ length: props.count }, (_, j) => (
            <option key={j} value={j}>
              component {j + 1}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Refusal({ error }: { readonly error: unknown }) {
  if (!(error instanceof CodedError) || error.code !== DRAWING_CODES.ERR_ROWS_RAW.code)
    return <Problem error={error} title="The file is not drawn" />;
  return (
    <Notice kind="bad" live title="These are raw rows: they do not belong here">
      <p>{error.message} It was not drawn, and nothing of it is kept.</p>
      <p>
        Eigenveil is there so that no operator of a server sees owners’ rows, and this is the page of one. Let
        the owner reduce them where they are, and think about whether you need the reduced rows, which tell
        much of the rows.
      </p>
    </Notice>
  );
}

function farthestOf({ xs, ys }: { readonly xs: Float32Array; readonly ys: Float32Array }): number {
  let most = 0;
  for (let i = 0; i < xs.length; i += 1) most = Math.max(most, Math.hypot(xs[i]!, ys[i]!));
  return most;
}
