/**
 * Becoming an owner: first what the invitation asks for and whom the owner is about to trust, then a key for
 * this device, then the enrolment at the CSP by the token of the invitation.
 */
import { thumbprintOf } from '@eigenveil/wire';
import type { OwnerLink } from '@eigenveil/wire/owner-link';
import { useEffect } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Grouped, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { OwnerProblem } from './fields.tsx';
import type { Trusted } from './invitation.ts';
import { DamagedLink, InvitationForm } from './invitation-form.tsx';
import { KeyStep, type MadeBackup } from './key-step.tsx';
import type { OwnerViewProps } from './owner.ts';
import { type Arrival, routes } from './routes.ts';
import { Steps } from './steps.tsx';

export interface EnrolProps extends OwnerViewProps {
  readonly arrival: Arrival | null;
  /** The services that the owner trusts, from that decision until it is enrolled. */
  readonly trusted: Trusted | null;
  readonly onTrust: (trusted: Trusted | null) => void;
  /** Called with the backup of a new key. */
  readonly onBackup: (backup: MadeBackup) => void;
  /** Called once the invitation is used. */
  readonly onEnrolled: () => void;
}

export function EnrolView(props: EnrolProps) {
  const { owner, status, look, arrival, trusted, onTrust, onBackup } = props;
  const title = status.enrolment === null ? 'Become a data owner' : 'Enrol again';
  const link = arrival?.link ?? null;
  if (status.movedAt !== null)
    return (
      <View title={title} name="Enrol">
        <p>This owner has left this device: enrol on the other one.</p>
      </View>
    );
  return (
    <View title={title} name="Enrol">
      <Steps current={trusted === null ? 'trust' : 'key'}>
        {trusted === null
          ? 'See who asks you, and decide whether you trust the CSP.'
          : status.thumbprint === null
            ? 'Make a key, by which the services know you.'
            : 'You are being enrolled at the CSP.'}
      </Steps>
      {arrival?.kind === 'refused' && (
        <DamagedLink>
          Open your invitation again, and take care that all of the link is there. Or ask whoever sent it for
          another one.
        </DamagedLink>
      )}
      {arrival === null && trusted === null && status.enrolment === null && (
        <Notice kind="info" title="You need an invitation">
          <p>Open the link that you were sent: once more, if you have loaded this page in another tab.</p>
        </Notice>
      )}
      {trusted === null && (
        <>
          <Invited link={link} />
          <AnotherCsp status={status} thumbprint={link?.thumbprint ?? null} />
          <InvitationForm
            key={link?.token}
            link={link}
            csp={status.enrolment?.csp.url ?? ''}
            action={status.thumbprint === null ? 'Trust this CSP' : 'Trust this CSP and enrol'}
            onTrust={onTrust}
          />
          {status.thumbprint === null && (
            <p>
              Have you been an owner on another device? <a href={routes.href('device', {})}>Bring it here</a>{' '}
              instead.
            </p>
          )}
        </>
      )}
      {trusted !== null && status.thumbprint === null && (
        <KeyStep owner={owner} onMade={(backup) => (backup === null ? look() : onBackup(backup))} />
      )}
      {trusted !== null && status.thumbprint !== null && <Enrolling {...props} trusted={trusted} />}
    </View>
  );
}

/** Says what the owner is asked for, as far as the invitation tells: the task itself is told to enrolled owners. */
function Invited({ link }: { readonly link: Partial<OwnerLink> | null }) {
  return (
    <p>
      {link?.dataUser !== undefined && (
        <>
          The data user at <Untrusted text={link.dataUser} /> asks you to take part in a computation with
          other owners.{' '}
        </>
      )}
      Your rows stay in this browser: encrypted sums of them leave it. You see what a task computes, what
      comes back and until when it is open before any of your rows is read, and then you decide.
    </p>
  );
}

/** Enrols at once, since the decision was made in the step before. */
function Enrolling(props: EnrolProps & { readonly trusted: Trusted }) {
  const { owner, trusted, look, onTrust, onEnrolled } = props;
  const enrol = useAction(async (gone) => {
    const { dataUser, task, token } = trusted;
    await owner.enrol(trusted, token);
    if (dataUser !== undefined && task !== undefined) await owner.state.addTask(task, dataUser);
    onEnrolled();
    look();
    if (!gone.aborted)
      location.hash = task === undefined ? routes.href('tasks', {}) : routes.href('task', { taskId: task });
  });
  useEffect(() => enrol.run(), []);
  return (
    <>
      <p role="status">{enrol.busy && 'Enrolling at the CSP…'}</p>
      <OwnerProblem error={enrol.error} title="The CSP has not enrolled you">
        <p>
          An invitation works once, and for some time. If it was used or is too old, ask whoever sent it for
          another one. If the CSP cannot be reached, try again.
        </p>
        <div class="row">
          <Button kind="main" busy={enrol.busy} onClick={() => enrol.run()}>
            Try again
          </Button>
          <Button onClick={() => onTrust(null)}>Use another invitation</Button>
        </div>
      </OwnerProblem>
    </>
  );
}

/** Says so if the CSP differs from this owner's CSP. */
function AnotherCsp(props: {
  readonly status: OwnerViewProps['status'];
  readonly thumbprint: string | null;
}) {
  const { enrolment } = props.status;
  const known = useAsync(
    async () => (enrolment === null ? null : thumbprintOf(enrolment.cspKey)),
    [enrolment],
  );
  if (known.state !== 'done' || known.value === null) return null;
  if (props.thumbprint === null || props.thumbprint === known.value)
    return (
      <Notice kind="info" title="You are enrolled already">
        <p>
          At the CSP with the thumbprint <Grouped value={known.value} />. Another invitation of it renews your
          enrolment.
        </p>
      </Notice>
    );
  return (
    <Notice kind="warn" title="This is another CSP than yours" live>
      <p>
        You are enrolled at the one with the thumbprint <Grouped value={known.value} />. If you go on, tasks
        that the old one has signed are refused, and their results cannot be checked here any more.
      </p>
    </Notice>
  );
}
