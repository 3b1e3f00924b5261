/** The view of each method's result on the owners' page. */
import type { TaskResult } from '@eigenveil/data-owner/portable';
import type { MethodName } from '@eigenveil/methods';
import type { FunctionComponent } from 'preact';
import { number } from '../common/format.ts';
import { Table } from '../common/table.tsx';
import type { Owner } from '../owner/owner.ts';
import { ReducePanel } from '../owner/reduce-panel.tsx';
import { MomentsView } from './moments-view.tsx';
import { Quantiles } from './quantiles-view.tsx';
import { Weights } from './weights-view.tsx';

interface ResultProps {
  readonly owner: Owner;
  readonly result: TaskResult;
}

const Fitted = ({ result }: ResultProps) => <Weights {...result} />;
const Measured = ({ result }: ResultProps) => <MomentsView {...result} />;
const Counted = ({ result }: ResultProps) => <Quantiles {...result} />;

export const OWNER_RESULTS = {
  pca: Components,
  correlation: Components,
  sketch: Components,
  dca: Components,
  lda: Components,
  mdr: Components,
  ridge: Fitted,
  pcr: Fitted,
  histogram: Counted,
  moments: Measured,
} as const satisfies Record<MethodName, FunctionComponent<ResultProps>>;

function Components({ owner, result }: ResultProps) {
  const { vectors, eigenvalues } = result.projection;
  return (
    <>
      <dl class="facts">
        <dt>Components</dt>
        <dd>{number(vectors.length)}</dd>
      </dl>
      <details>
        <summary>Eigenvalues</summary>
        <Table
          caption="Eigenvalues"
          captionHidden
          rows={eigenvalues.map((value, i) => ({ value, name: `component_${i + 1}` }))}
          keyOf={({ name }) => name}
          columns={[
            { head: 'Component', cell: ({ name }) => name },
            { head: 'Eigenvalue', numeric: true, cell: ({ value }) => value.toPrecision(6) },
          ]}
        />
      </details>
      <ReducePanel owner={owner} result={result} />
    </>
  );
}
