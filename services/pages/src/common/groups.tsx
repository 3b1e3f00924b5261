/** The legend of a Plane's colours, with figures for people who cannot see them. */
import { number } from './format.ts';
import type { Group } from './reduced.ts';
import { Table } from './table.tsx';
import { Untrusted } from './untrusted.tsx';

export function Groups({
  groups,
  axes,
}: {
  readonly groups: readonly Group[];
  readonly axes: readonly [string, string];
}) {
  return (
    <Table
      caption="Points by colour"
      rows={groups}
      keyOf={(_, g) => g}
      columns={[
        {
          head: 'Group',
          cell: (group) => (
            <>
              <span class={`swatch series-${groups.indexOf(group) + 1}`} aria-hidden="true" />{' '}
              <Untrusted text={group.name} longest={60} />
            </>
          ),
        },
        { head: 'Points', numeric: true, cell: ({ points }) => number(points) },
        { head: `Mean of ${axes[0]}`, numeric: true, cell: ({ mean }) => mean[0].toPrecision(3) },
        { head: `Mean of ${axes[1]} `, numeric: true, cell: ({ mean }) => mean[1].toPrecision(3) },
      ]}
    />
  );
}
