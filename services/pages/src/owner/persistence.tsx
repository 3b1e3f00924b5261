/** Says whether the browser has promised to keep the page's data, and asks it to. */
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { useAction } from '../common/use-async.ts';
import { OwnerProblem } from './problem.tsx';
import type { OwnerViewProps } from './props.ts';

export function Persistence({ owner, status, look }: OwnerViewProps) {
  const [isRefused, setRefused] = useState(false);
  const ask = useAction(async () => {
    setRefused(!(await owner.state.persist()));
    look();
  });
  if (status.isPersistent)
    return <p>The browser has promised to keep your key and receipts until you delete this site’s data.</p>;
  return (
    <Notice kind="warn" title="The browser may delete your key and receipts when its disk is full">
      <p>As long as it does not promise to keep them, tasks under differential privacy are refused.</p>
      {isRefused && (
        <p role="status">
          The browser has refused. Bookmark this page, or allow its notifications or install it, and ask
          again; in private windows it never agrees.
        </p>
      )}
      <OwnerProblem error={ask.error} />
      <Button busy={ask.busy} onClick={() => ask.run()}>
        Ask the browser to keep them
      </Button>
    </Notice>
  );
}
