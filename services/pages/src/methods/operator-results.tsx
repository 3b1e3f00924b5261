/** The view of each method's result on the console. */
import { remarksOf } from '@eigenveil/data-user/result';
import type { MethodName } from '@eigenveil/methods';
import type { FunctionComponent } from 'preact';
import { useMemo } from 'preact/hooks';
import { Provenance } from '../console/result/provenance-view.tsx';
import { Summary } from '../console/result/summary-view.tsx';
import { Downloads, Use } from '../console/result/use-view.tsx';
import type { CheckedResult } from '../console/result/verify.ts';
import { Biplot } from './biplot-view.tsx';
import { componentRows } from './figures.ts';
import { HistogramResult } from './histogram-view.tsx';
import { Loadings } from './loadings-view.tsx';
import { MomentsView } from './moments-view.tsx';
import { Scree } from './scree-view.tsx';
import { Weights } from './weights-view.tsx';

interface ResultProps {
  readonly checked: CheckedResult;
  /** Goes on with this JSON where tasks are drafted. */
  readonly draft: (text: string) => void;
}

export const OPERATOR_RESULTS = {
  pca: Components,
  correlation: Components,
  sketch: Components,
  dca: Components,
  lda: Components,
  mdr: Components,
  ridge: Regression,
  pcr: Regression,
  histogram: HistogramResult,
  moments: Moments,
} as const satisfies Record<MethodName, FunctionComponent<ResultProps>>;

function Components({ checked }: ResultProps) {
  const { task, projection } = checked;
  const remarks = useMemo(() => remarksOf(task, projection), [task, projection]);
  const { verifiedOwners } = checked.provenance;
  const rows = useMemo(
    () => componentRows(projection, remarks, verifiedOwners),
    [projection, remarks, verifiedOwners],
  );
  return (
    <>
      <Summary checked={checked} remarks={remarks} />
      <Scree checked={checked} rows={rows} />
      <Loadings projection={projection} />
      <Biplot projection={projection} />
      <Provenance checked={checked} />
      <Use checked={checked} />
    </>
  );
}

function Moments({ checked }: ResultProps) {
  return (
    <>
      <MomentsView {...checked} />
      <Provenance checked={checked} />
      <Downloads checked={checked} />
    </>
  );
}

function Regression({ checked }: ResultProps) {
  const { task, projection } = checked;
  return (
    <>
      <Summary checked={checked} remarks={[]} />
      <Weights task={task} projection={projection} />
      <Provenance checked={checked} />
      <Downloads checked={checked} />
    </>
  );
}
