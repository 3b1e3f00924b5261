/**
 * The result of a histogram: the number of rows, each feature's quantiles, and a drawing of one feature's
 * counts, all with their noise.
 */

import type { AskedLevels } from '@eigenveil/data-user/draft';
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { printable } from '@eigenveil/wire/printable';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { axis, Chart } from '../common/chart.tsx';
import type { ChartTheme } from '../common/chart-theme.ts';
import { Button, Field } from '../common/controls.tsx';
import { Problem } from '../common/feedback.tsx';
import { capital, count, number } from '../common/format.ts';
import { draftWords } from '../console/draft/draft-words.ts';
import { LEVELS, rangedDraft } from '../console/draft/first-draft.ts';
import { Provenance } from '../console/result/provenance-view.tsx';
import { Downloads } from '../console/result/use-view.tsx';
import type { CheckedResult } from '../console/result/verify.ts';
import { routes } from '../console/routes.ts';
import { type DrawnBins, drawnBins, short } from './figures.ts';
import { Quantiles } from './quantiles-view.tsx';

type Released = NonNullable<CheckedResult['projection']['histograms']>[number];

/** @param draft goes on with this JSON where tasks are drafted */
export function HistogramResult(props: {
  readonly checked: CheckedResult;
  readonly draft: (text: string) => void;
}) {
  const { checked, draft } = props;
  const { task, projection, provenance } = checked;
  return (
    <>
      <dl class="facts">
        <dt>Owners</dt>
        <dd>{count(provenance.verifiedOwners, 'owner')}, as the CSP has verified</dd>
      </dl>
      <Quantiles task={task} projection={projection} />
      <Bins task={task} histograms={projection.histograms ?? []} />
      <h2>Use it</h2>
      <Downloads checked={checked} />
      <Ranges checked={checked} draft={draft} />
      <Provenance checked={checked} />
    </>
  );
}

function Bins(props: { readonly task: CheckedResult['task']; readonly histograms: readonly Released[] }) {
  const { task, histograms } = props;
  const [shown, setShown] = useState(0);
  const bins = useMemo(() => {
    const edges = methodOf(task).sums(task).counts[shown]!.edges();
    return drawnBins(edges, histograms[shown]!.counts);
  }, [task, histograms, shown]);
  const option = useCallback((theme: ChartTheme) => binsOption(theme, bins), [bins]);
  const name = printable(histograms[shown]!.name);
  const most = bins.reduce((best, bin) => (bin.rows > best.rows ? bin : best));
  return (
    <>
      <h2>Counts</h2>
      <Field label="Feature">
        {(attributes) => (
          <select
            {...attributes}
            value={shown}
            onChange={({ currentTarget: { value } }) => setShown(Number(value))}
          >
            {histograms.map(({ name: other }, h) => (
              <option key={other} value={h}>
                {printable(other)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Chart
        title={`Counts of ${name}, with noise, which may make them negative`}
        summary={`${count(bins.length, 'interval')}; most rows, about ${number(Math.round(most.rows))}, are from ${short(most.from)} to ${short(most.to)}`}
        option={option}
        columns={[
          { head: 'From', numeric: true, cell: ({ from }) => short(from) },
          { head: 'To', numeric: true, cell: ({ to }) => short(to) },
          { head: 'Rows', numeric: true, cell: ({ rows }) => number(rows) },
        ]}
        rows={bins}
      />
    </>
  );
}

function binsOption(theme: ChartTheme, bins: readonly DrawnBins[]) {
  return {
    grid: { left: 8, right: 16, top: 16, bottom: 8, outerBoundsMode: 'same' },
    tooltip: {
      trigger: 'axis',
      formatter: (hits: readonly { readonly dataIndex: number }[]) => {
        const { from, to, rows } = bins[hits[0]!.dataIndex]!;
        return `${short(from)} to ${short(to)}\n${number(rows)}`;
      },
    },
    xAxis: { ...axis(theme), type: 'category', data: bins.map(({ from }) => short(from)) },
    yAxis: { ...axis(theme), type: 'value' },
    series: [
      {
        type: 'line',
        step: 'middle',
        symbol: 'none',
        lineStyle: { width: 2 },
        areaStyle: { opacity: 0.2 },
        data: bins.map(({ rows }) => rows),
      },
    ],
  };
}

/**
 * Takes the ranges of a projection from a histogram's noisy counts, says how many of the rows they hold, and
 * leads on to the draft.
 * @param draft goes on with this JSON where tasks are drafted
 */
function Ranges(props: { readonly checked: CheckedResult; readonly draft: (text: string) => void }) {
  const { checked, draft } = props;
  const [lower, setLower] = useState(String(LEVELS.lower));
  const [upper, setUpper] = useState(String(LEVELS.upper));
  const ranged = useMemo(() => {
    try {
      return { ...rangedDraft(checked, { lower: Number(lower), upper: Number(upper) }), error: null };
    } catch (error) {
      return { text: '', notes: [], error };
    }
  }, [checked, lower, upper]);
  const faults = ranged.error instanceof CodedError ? ranged.error.faults : [];
  const faultOf = (level: keyof AskedLevels) => {
    const own = faults.find(({ path }) => path[0] === level);
    return own === undefined ? null : `${capital(draftWords(own.words))}.`;
  };
  const [ofLower, ofUpper] = [faultOf('lower'), faultOf('upper')];
  return (
    <>
      <h2>Ranges for a projection</h2>
      <div class="columns">
        <Field
          label="Rows below a range"
          hint="As a share of all rows: from one quantile to the other."
          error={ofLower}
        >
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              value={lower}
              onInput={({ currentTarget }) => setLower(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Rows up to its end" error={ofUpper}>
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              value={upper}
              onInput={({ currentTarget }) => setUpper(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <div role="status">
        {ranged.notes.map((note) => (
          <p key={note}>{capital(note)}.</p>
        ))}
      </div>
      {ofLower === null && ofUpper === null && (
        <Problem error={ranged.error} title="These counts give no such ranges" words={draftWords} />
      )}
      <Button kind="main" disabled={ranged.error !== null} onClick={() => draft(ranged.text)}>
        Draft a PCA with these ranges
      </Button>
      <p>
        For another method, or a sample with labels:{' '}
        <a href={routes.href('draft', {})}>draft from a sample</a>, and give the id of this task,{' '}
        <span class="id">{checked.task.id}</span>, as “Ranges from a histogram”.
      </p>
    </>
  );
}
