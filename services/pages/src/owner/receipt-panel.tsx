/** The owner's receipt for a task, and the way to withdraw. */
import type { CodedError } from '@eigenveil/platform';
import { useRef, useState } from 'preact/hooks';
import { Button, Dialog } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { exactTime } from '../common/format.ts';
import { TaskName } from '../common/task-name.tsx';
import { Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { Check, OwnerProblem } from './fields.tsx';
import { receiptOf, type TaskPartProps } from './owner.ts';
import { hasPart, type Progress } from './progress.ts';
import { Retrying } from './sending-status.tsx';

interface ReceiptProps extends TaskPartProps {
  readonly canWithdraw: Progress['canWithdraw'];
}

export function ReceiptPanel(props: ReceiptProps) {
  const { entry, canWithdraw } = props;
  const { receipt, withdrawal } = entry;
  const [isConfirmed, setConfirmed] = useState<boolean | null>(null);
  const isOffered = canWithdraw === 'yes' || canWithdraw === 'csp';
  if (!hasPart(entry)) return null;
  if (withdrawal === 'confirmed') return <Withdrawn isConfirmed={isConfirmed} />;
  return (
    <section>
      <h2>Your part</h2>
      {withdrawal === 'begun' && (
        <Notice kind="bad" title="Your withdrawal is not confirmed yet">
          <p>
            Your contribution may still count. Withdraw once more: it does no harm. Nothing more is sent to
            this task meanwhile.
          </p>
        </Notice>
      )}
      {receipt !== null && <ReceiptFacts id={entry.id} jws={receipt} />}
      {isOffered && <Withdraw {...props} onWithdrawn={setConfirmed} />}
      {canWithdraw === 'doubted' && (
        <details open={withdrawal === 'begun'}>
          <summary>If you doubt that the task has ended</summary>
          <p>
            The data user alone says so. The CSP takes your withdrawal if it has not opened the sums of this
            task yet, and refuses it otherwise.
          </p>
          <Withdraw {...props} onWithdrawn={setConfirmed} />
        </details>
      )}
    </section>
  );
}

/** @param isConfirmed whether the data user has confirmed it; null where it was done before */
function Withdrawn({ isConfirmed }: { readonly isConfirmed: boolean | null }) {
  return (
    <Notice kind="warn" title="You have withdrawn from this task, for good" live>
      {isConfirmed === true && <p>Data user and CSP have been told.</p>}
      {isConfirmed === false && (
        <p>
          The CSP has been told, the data user has not confirmed. If it uses your contribution all the same,
          the task fails for all.
        </p>
      )}
    </Notice>
  );
}

function ReceiptFacts({ id, jws }: { readonly id: string; readonly jws: string }) {
  const receipt = useAsync(() => receiptOf(jws), [jws]);
  if (receipt.state === 'loading') return null;
  if (receipt.state === 'failed') return <OwnerProblem error={receipt.error} />;
  const { title, receivedAt, contributionDigest, ownerId } = receipt.value;
  return (
    <>
      <Notice kind="good" title="You have contributed" live>
        <p>The data user has signed a receipt for it.</p>
      </Notice>
      <dl class="facts">
        <dt>Task</dt>
        <dd>
          <TaskName id={id} title={title} />
        </dd>
        <dt>Received</dt>
        <dd>{exactTime(new Date(receivedAt))}</dd>
        <dt>Digest of what was sent</dt>
        <dd>
          <Untrusted text={contributionDigest} />
        </dd>
        <dt>Owner id</dt>
        <dd>
          <Untrusted text={ownerId} />
        </dd>
      </dl>
      <Button onClick={() => save(`receipt-${id}.jws`, 'application/jose', jws)}>Save the receipt</Button>
    </>
  );
}

function Withdraw({
  owner,
  entry,
  lookAtEntry,
  canWithdraw,
  onWithdrawn,
}: ReceiptProps & { readonly onWithdrawn: (isConfirmed: boolean) => void }) {
  const [isOpen, setOpen] = useState(false);
  const isLate = canWithdraw !== 'yes';
  const [insisted, setInsist] = useState(false);
  const insist = insisted || isLate;
  const [retry, setRetry] = useState<CodedError | null>(null);
  const attempt = useRef<AbortController | null>(null);
  const withdraw = useAction(async (gone) => {
    const control = new AbortController();
    attempt.current = control;
    try {
      const signal = AbortSignal.any([gone, control.signal]);
      onWithdrawn(await owner.withdraw(entry, { insist, onRetry: setRetry, signal }));
    } catch (error) {
      // The state that is kept says whether the data user may have heard of it.
      if (!control.signal.aborted) throw error;
    } finally {
      setOpen(false);
      setRetry(null);
      lookAtEntry();
    }
  });
  const stay = () => {
    attempt.current?.abort();
    setOpen(false);
  };
  return (
    <>
      <OwnerProblem error={withdraw.error} title="The withdrawal is not confirmed" />
      {canWithdraw === 'csp' && (
        <p>
          The data user has closed the task, and takes no withdrawal any more. The CSP does: your record does
          not count then, and if the data user has used your contribution, the task fails for all.
        </p>
      )}
      <p>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Withdraw…
        </Button>
      </p>
      {isOpen && (
        <Dialog title="Withdraw from this task?" onClose={stay}>
          <p>
            For good: you can contribute nothing more to it.{' '}
            {isLate
              ? 'The CSP is told, whatever the data user answers; the task may fail for all.'
              : 'If the task is still open now, your contribution will not be counted.'}
          </p>
          {!isLate && (
            <Check
              label="Tell the CSP whatever the data user answers"
              hint="Then your record does not count, whatever the data user says. If it has used your contribution, the task fails for all."
              checked={insist}
              onChecked={setInsist}
            />
          )}
          <div class="row">
            <Button kind="danger" busy={withdraw.busy} onClick={() => withdraw.run()}>
              Withdraw for good
            </Button>
            <Button onClick={stay}>Stay in</Button>
          </div>
          <Retrying error={retry} />
        </Dialog>
      )}
    </>
  );
}
