/**
 * The values that a regression predicts, and the weight of each feature: in the columns' units, and where all
 * lie in [−1, 1].
 */
import { type Regression, regressionInUnits } from '@eigenveil/projection/portable';
import type { TaskProposal } from '@eigenveil/task/schema';
import { type Column, Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';

const DIGITS = 6;
const short = (value: number) => value.toPrecision(DIGITS);

interface Weight {
  readonly name: string;
  readonly inUnits: number;
  readonly scaled: number;
}

const COLUMNS: readonly Column<Weight>[] = [
  { head: 'Feature', cell: ({ name }) => <Untrusted text={name} /> },
  { head: 'Weight in its unit', numeric: true, cell: ({ inUnits }) => short(inUnits) },
  { head: 'Weight in [−1, 1]', numeric: true, cell: ({ scaled }) => short(scaled) },
];

export function Weights(props: {
  readonly task: TaskProposal;
  readonly projection: { readonly regression?: Regression | undefined };
}) {
  const { task, projection } = props;
  const { regression } = projection;
  if (regression === undefined) return null;
  const inUnits = regressionInUnits({ task, projection: { regression } });
  const rows = regression.weights.map((scaled, i) => ({
    name: task.features[i]!.name,
    inUnits: inUnits.weights[i]!,
    scaled,
  }));
  const features = [...rows, { name: 'intercept', inUnits: inUnits.intercept, scaled: regression.intercept }];
  return (
    <>
      <h2>Weights</h2>
      <p>
        <Untrusted text={task.features.at(-1)!.name} /> is predicted as the sum of each feature times its
        weight, and the intercept. Values beyond a feature’s range count as its end.
      </p>
      <Table caption="Weights" captionHidden rows={features} keyOf={(_, i) => i} columns={COLUMNS} />
    </>
  );
}
