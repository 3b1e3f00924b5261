/**
 * The owners that contributed to a task or withdrew, asked for page by page when somebody wants to see them.
 */
import type { TaskId } from '@eigenveil/task/schema';
import type { TaskOwners } from '@eigenveil/wire/console';
import { useState } from 'preact/hooks';
import { Button } from '../../common/controls.tsx';
import { Problem } from '../../common/feedback.tsx';
import { number } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Moment } from '../../common/text.tsx';
import { useAction } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';

export function Owners(props: { readonly api: ConsoleApi; readonly taskId: TaskId; readonly now: Date }) {
  const { api, taskId, now } = props;
  const [pages, setPages] = useState<readonly TaskOwners[]>([]);
  const owners = pages.flatMap((page) => page.owners);
  const load = useAction(async (signal, known: readonly TaskOwners[]) => {
    const last = known.at(-1)?.owners.at(-1)?.number ?? 0;
    const page = await api.owners({ taskId, after: last }, signal);
    setPages([...known, page]);
  });
  return (
    <>
      <div class="row">
        <Button busy={load.busy} onClick={() => load.run([])}>
          {pages.length === 0 ? 'Show who contributed' : 'Ask again who contributed'}
        </Button>
      </div>
      <Problem error={load.error} title="The owners did not come" />
      {pages.length > 0 && owners.length === 0 && <p>Nobody has contributed or withdrawn.</p>}
      {owners.length > 0 && (
        <Table
          caption="Owners, as they came; it is not live"
          rows={owners}
          keyOf={(owner) => owner.number}
          columns={[
            { head: 'Owner', cell: ({ ownerId }) => <span class="id">{ownerId}</span> },
            { head: 'Number', numeric: true, cell: (owner) => number(owner.number) },
            {
              head: 'Contributed',
              cell: ({ contributedAt }) =>
                contributedAt === null ? 'no' : <Moment at={contributedAt} now={now} />,
            },
            { head: 'Withdrawn or revoked', cell: ({ withdrawn }) => (withdrawn ? 'yes, for good' : 'no') },
          ]}
        />
      )}
      {pages.at(-1)?.more === true && (
        <Button busy={load.busy} onClick={() => load.run(pages)}>
          Show more owners
        </Button>
      )}
    </>
  );
}
