/** The number of rows of a histogram, and the quantiles of each feature, both with their noise. */
import { CONFIDENCE } from '@eigenveil/projection/portable';
import type { Projection } from '@eigenveil/wire';
import { number } from '../common/format.ts';
import { type Column, Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';

const DIGITS = 4;
export const short = (value: number) => String(Number(value.toPrecision(DIGITS)));

type Released = NonNullable<Projection['histograms']>[number];

export function Quantiles({ projection }: { readonly projection: Projection }) {
  const { privateRows, differentialPrivacy: setting, histograms = [] } = projection;
  const asked = histograms.find(({ quantiles }) => quantiles.length > 0)?.quantiles ?? [];
  const columns: Column<Released>[] = [
    { head: 'Feature', cell: ({ name }) => <Untrusted text={name} /> },
    ...asked.map(
      ({ q }, i): Column<Released> => ({
        head: `Quantile ${q}`,
        cell: ({ quantiles }) => {
          const at = quantiles[i];
          return at === undefined
            ? 'too few rows for this noise'
            : `${short(at.value)} (${short(at.from)} to ${short(at.to)})`;
        },
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
        rows={histograms}
        keyOf={({ name }) => name}
        columns={columns}
      />
    </>
  );
}
