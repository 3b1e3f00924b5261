/**
 * Becoming an owner: first what the invitation asks for and whom the owner is about to trust, then a key for
 * this device, then the enrolment at the CSP by the token of the invitation.
 */
import { thumbprintOf } from '@eigenveil/wire';
import { errorCodeOf } from '@eigenveil/wire/errors';
import type { OwnerLink } from '@eigenveil/wire/owner-link';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Grouped, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { OwnerProblem } from './fields.tsx';
import type { Trusted } from './invitation.ts';
import { DamagedLink, InvitationForm } from './invitation-form.tsx';
import { KeyStep, type MadeBackup } from './key-step.tsx';
import type { Owner, OwnerViewProps } from './owner.ts';
import { type Arrival, routes } from './routes.ts';
import { Steps } from './steps.tsx';

export interface EnrolProps extends OwnerViewProps {
  readonly arrival: Arrival | null;
  /** The services that the owner trusts, from that decision until it is enrolled. */
  readonly trusted: Trusted | null;
  readonly onTrust: (trusted: Trusted | null) => void;
  /** Called with the backup of a new key. */
  readonly onBackup: (backup: MadeBackup) => void;
  /** Called once the owner is enrolled by the invitation, or cannot be. */
  readonly onUsed: () => void;
}

export function EnrolView(props: EnrolProps) {
  const { owner, status, look, arrival, trusted, onTrust, onBackup } = props;
  const { enrolment } = status;
  const title = enrolment === null ? 'Become a data owner' : 'Enrol again';
  const [pasted, setPasted] = useState<OwnerLink | null>(null);
  const link = pasted ?? arrival?.link ?? null;
  const known = useAsync(
    async () => enrolment && thumbprintOf(enrolment.cspKey),
    [enrolment?.cspKey.x], // each look at the state brings another object
  );
  if (status.movedAt !== null)
    return (
      <View title={title} name="Enrol">
        <p>This owner has left this device: enrol on the other one.</p>
      </View>
    );
  if (known.state !== 'done') return null;
  const csp = known.value;
  const isKnown = csp !== null && (link === null || link.thumbprint === csp);
  // The task comes first for an owner who is enrolled there: another token renews the enrolment, too.
  const isInvited = isKnown && arrival?.kind === 'link' && arrival.link.task !== undefined;
  const form = (
    <InvitationForm
      key={arrival?.link.token}
      link={arrival?.link ?? null}
      csp={enrolment?.csp.url ?? ''}
      action={status.thumbprint === null ? 'Trust this CSP' : 'Trust this CSP and enrol'}
      onPasted={setPasted}
      onTrust={onTrust}
    />
  );
  return (
    <View title={isInvited && trusted === null ? 'You are invited to a task' : title} name="Enrol">
      {trusted === null ? (
        <Steps current={isKnown ? 'task' : 'trust'}>
          {!isKnown
            ? 'See who asks you, and decide whether you trust the CSP.'
            : link?.task === undefined
              ? 'See your tasks, or renew your enrolment.'
              : 'Go on to the task that you are invited to.'}
        </Steps>
      ) : (
        <Steps current="key">
          {status.thumbprint === null
            ? 'Make a key, by which the services know you.'
            : 'You are being enrolled at the CSP.'}
        </Steps>
      )}
      {arrival?.kind === 'refused' && pasted === null && (
        <DamagedLink>
          Open your invitation again, and take care that all of the link is there. Or ask whoever sent it for
          another one.
        </DamagedLink>
      )}
      {link === null && trusted === null && enrolment === null && (
        <Notice kind="info" title="You need an invitation">
          <p>Open the link that you were sent: once more, if you have loaded this page in another tab.</p>
        </Notice>
      )}
      {trusted === null && (
        <>
          {isKnown ? (
            <Enrolled
              owner={owner}
              csp={csp}
              link={pasted ?? (arrival?.kind === 'link' ? arrival.link : null)}
            />
          ) : (
            <>
              <Invited link={link} />
              {csp !== null && <AnotherCsp csp={csp} />}
            </>
          )}
          {isInvited ? (
            <details>
              <summary>Only if your enrolment has expired: renew it</summary>
              {form}
            </details>
          ) : (
            form
          )}
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
      Your rows stay in this browser: encrypted sums of them leave it. What a task computes, what comes back
      and until when it is open are told to enrolled owners alone. So you see them next, before any of your
      rows is read, and then you decide.
    </p>
  );
}

/** Enrols at once, since the decision was made in the step before. */
function Enrolling(props: EnrolProps & { readonly trusted: Trusted }) {
  const { owner, trusted, look, onTrust, onUsed } = props;
  const enrol = useAction(async (gone) => {
    try {
      await owner.enrol(trusted, trusted.token);
    } catch (error) {
      if (isOfToken(error)) onUsed();
      throw error;
    }
    const place = await follow(owner, trusted);
    onUsed();
    onTrust(null);
    look();
    if (!gone.aborted) location.hash = place;
  });
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    status.current!.focus(); // what was pressed before is gone
    enrol.run();
  }, []);
  const isOtherCsp = errorCodeOf(enrol.error) === 'ERR_CSP_IDENTITY';
  return (
    <>
      <p role="status" ref={status} tabIndex={-1}>
        {enrol.busy && 'Enrolling at the CSP…'}
      </p>
      <OwnerProblem error={enrol.error} title="The CSP has not enrolled you">
        {isOtherCsp ? (
          <>
            <p>Your invitation was not used: its token was not sent.</p>
            <Button kind="main" onClick={() => onTrust(null)}>
              Back to the invitation
            </Button>
          </>
        ) : (
          <>
            <p>
              An invitation works once, and for some time. If it was used or is too old, ask whoever sent it
              for another one. If the CSP cannot be reached, try again.
            </p>
            <div class="row">
              {!isOfToken(enrol.error) && (
                <Button kind="main" busy={enrol.busy} onClick={() => enrol.run()}>
                  Try again
                </Button>
              )}
              <Button onClick={() => onTrust(null)}>Use another invitation</Button>
            </div>
          </>
        )}
      </OwnerProblem>
    </>
  );
}

/** Returns whether the token of an invitation is of no use, now and later. */
const isOfToken = (error: unknown): boolean => errorCodeOf(error) === 'ERR_ENROLMENT_TOKEN';

/** Puts the task of an invitation on the list. @returns the place to go to */
async function follow(owner: Owner, { dataUser, task }: OwnerLink): Promise<string> {
  if (dataUser === undefined || task === undefined) return routes.href('tasks', {});
  await owner.state.addTask(task, dataUser);
  return routes.href('task', { taskId: task });
}

/** Leads an owner on that comes to its own CSP again. The invitation is kept, since it may renew the enrolment. */
function Enrolled(props: { readonly owner: Owner; readonly csp: string; readonly link: OwnerLink | null }) {
  const { owner, csp, link } = props;
  const go = useAction(async (gone) => {
    const place = await follow(owner, link!);
    if (!gone.aborted) location.hash = place;
  });
  return (
    <>
      <Notice kind="info" title="You are enrolled already">
        <p>
          At the CSP with the thumbprint <Grouped value={csp} />.
        </p>
        {link?.task === undefined ? (
          <p>
            <a href={routes.href('tasks', {})}>See your tasks</a>
          </p>
        ) : (
          <Button kind="main" busy={go.busy} onClick={() => go.run()}>
            Go to the task
          </Button>
        )}
        <OwnerProblem error={go.error} />
      </Notice>
      <p>Where the CSP says that your enrolment has expired, another invitation of it renews it.</p>
    </>
  );
}

/** Says that the CSP differs from this owner's CSP. */
function AnotherCsp({ csp }: { readonly csp: string }) {
  return (
    <Notice kind="warn" title="This is another CSP than yours" live>
      <p>
        You are enrolled at the one with the thumbprint <Grouped value={csp} />. If you go on, tasks that the
        old one has signed are refused, and their results cannot be checked here any more.
      </p>
    </Notice>
  );
}
