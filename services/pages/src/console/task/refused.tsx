/** Uploads that were refused, by reason, with advice for each. */
import type { TaskProgress } from '@eigenveil/wire/console';
import { titleOf } from '@eigenveil/wire/errors';
import { number } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Moment } from '../../common/text.tsx';
import { adviceFor } from '../advice.ts';

export function Refused(props: { readonly refused: TaskProgress['refused']; readonly now: Date }) {
  const { refused, now } = props;
  if (refused.length === 0) return <p>No upload was refused.</p>;
  return (
    <Table
      caption="Refused uploads, the most frequent first"
      captionHidden
      rows={refused}
      keyOf={({ code }) => code}
      columns={[
        {
          head: 'Reason',
          cell: ({ code }) => (
            <>
              {titleOf(code)}
              <br />
              <code>{code}</code>
            </>
          ),
        },
        { head: 'Times', numeric: true, cell: ({ count }) => number(count) },
        { head: 'Last', cell: ({ lastAt }) => <Moment at={lastAt} now={now} /> },
        { head: 'What to do', cell: ({ code }) => adviceFor(code) },
      ]}
    />
  );
}
