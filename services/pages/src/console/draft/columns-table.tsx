/** The columns of a sample, each with a choice of its use beside what the sample has of it. */
import type { Sample } from '@eigenveil/data-user/draft';
import { METHODS, type MethodName } from '@eigenveil/methods';
import { columnTitle } from '../../common/files.ts';
import { count } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import { problemOf, type Role, targetFlag, warningOf } from './first-draft.ts';

const ROLES: readonly (readonly [Role, (labellings: number, predicts: boolean) => string | null])[] = [
  ['feature', () => 'a feature'],
  ['target', (_, predicts) => (predicts ? 'what is predicted' : null)],
  ['first', (labellings) => [null, 'the labels', 'the utility labels'][labellings] ?? null],
  ['second', (labellings) => (labellings === 2 ? 'the privacy labels' : null)],
  ['out', () => 'left out'],
];

/** @param id of the group of all columns, to which a fault of the roles leads */
export function ColumnsTable(props: {
  readonly id: string;
  readonly error: string | null;
  readonly sample: Sample;
  readonly roles: readonly Role[];
  readonly method: MethodName;
  readonly set: (roles: Role[]) => void;
}) {
  const { id, error, sample, roles, method, set } = props;
  const rows = sample.columns.map((column, i) => ({ column, i, role: roles[i]! }));
  return (
    <fieldset
      id={id}
      class="member"
      aria-label="Columns"
      tabIndex={-1}
      {...(error !== null && { 'aria-describedby': `${id}-error` })}
    >
      <Table
        caption="What the columns are for"
        rows={rows}
        keyOf={({ i }) => i}
        columns={[
          {
            head: 'Column',
            cell: ({ column, i }) => <Untrusted text={columnTitle(column.name, i)} longest={40} />,
          },
          {
            head: 'It is',
            cell: ({ column, i, role }) => (
              <select
                aria-label={`What column ${i + 1} is`}
                value={role}
                onChange={({ currentTarget }) => set([...roles].with(i, currentTarget.value as Role))}
              >
                {ROLES.map(([value, nameOf]) => {
                  const name = nameOf(METHODS[method].labellings, targetFlag(method) !== undefined);
                  if (name === null) return null;
                  return (
                    <option key={value} value={value} disabled={problemOf(column, value) !== null}>
                      {name}
                    </option>
                  );
                })}
              </select>
            ),
          },
          {
            head: 'In the sample',
            cell: ({ column, role }) => (
              <>
                {column.noFeature === undefined && column.range !== undefined
                  ? `numbers from ${column.range.min} to ${column.range.max}`
                  : `texts${column.labels === undefined ? '' : `, ${count(column.labels.length, 'different one')}`}`}
                {role === 'out' &&
                  problemOf(column, 'feature') !== null &&
                  `; no feature, for ${problemOf(column, 'feature')}`}
                {column.labelLike !== undefined && role !== 'feature' && '; it looks like labels'}
                {warningOf(column, role) !== null && (
                  <>
                    . <strong>Take care:</strong> {warningOf(column, role)}
                  </>
                )}
              </>
            ),
          },
        ]}
      />
      {error !== null && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
