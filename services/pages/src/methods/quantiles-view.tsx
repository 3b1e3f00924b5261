/** The number of rows of a histogram, and the quantiles of each feature, both with their noise. */
import { histogramsOf } from '@eigenveil/methods';
import { CONFIDENCE } from '@eigenveil/projection/portable';
import type { TaskProposal } from '@eigenveil/task/schema';
import type { Projection } from '@eigenveil/wire';
import { number } from '../common/format.ts';
import { type Column, Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { quantileWords, short } from './figures.ts';

type Released = NonNullable<Projection['histograms']>[number];
type Range = ReturnType<typeof histogramsOf>[number];
type Counted = Released & { readonly range: Range };

export function Quantiles(props: { readonly task: TaskProposal; readonly projection: Projection }) {
  const { task, projection } = props;
  const { privateRows, differentialPrivacy: setting, histograms = [] } = projection;
  const asked = histograms.find(({ quantiles }) => quantiles.length > 0)?.quantiles ?? [];
  const counted = histogramsOf(task);
  const columns: Column<Counted>[] = [
    { head: 'Feature', cell: ({ name }) => <Untrusted text={name} /> },
    ...asked.map(
      ({ q }, i): Column<Counted> => ({
        head: `Quantile ${q}`,
        cell: ({ quantiles, range }) => quantileWords(quantiles[i], range),
      }),
    ),
    { head: 'Cells without a number', numeric: true, cell: ({ unreadable }) => number(unreadable) },
  ];
  return (
    <>
      <dl class="facts">
        <dt>Rows</dt>
        <dd>
          {privateRows === undefined
            ? 'not known'
            : `about ${number(Math.round(privateRows.rows))}, with noise of deviation ${short(privateRows.deviation)}`}
        </dd>
        <dt>Noise</dt>
        <dd>
          of both servers, for (ε, δ) = ({setting?.epsilon}, {setting?.delta}), all of which is spent
        </dd>
      </dl>
      <h2>Quantiles</h2>
      <Table
        caption={`Each the upper edge of the bin that it lies in, with an interval of confidence ${CONFIDENCE} for the noise`}
        rows={histograms.map((it, h) => ({ ...it, range: counted[h]! }))}
        keyOf={({ name }) => name}
        columns={columns}
      />
    </>
  );
}
