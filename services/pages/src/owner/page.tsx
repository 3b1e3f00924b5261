/** The owner's page: the state of the owner on this device, and the view that the address names. */
import { TaskId } from '@eigenveil/task/ids';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { exactTime } from '../common/format.ts';
import { Layout, View } from '../common/layout.tsx';
import { useHash } from '../common/routes.ts';
import { useAsync } from '../common/use-async.ts';
import { DeviceView } from './device-view.tsx';
import { type EnrolProps, EnrolView } from './enrol-view.tsx';
import { OwnerProblem } from './fields.tsx';
import { forgetInvitation, type Trusted } from './invitation.ts';
import { BackupStep, type MadeBackup } from './key-step.tsx';
import { Owner } from './owner.ts';
import { PolicyView } from './policy-view.tsx';
import { type Arrival, routes } from './routes.ts';
import { TaskView } from './task-view.tsx';
import { TasksView } from './tasks-view.tsx';
import { TrustView } from './trust-view.tsx';

/** @param arrival the link that somebody came by, which the address shows no more */
export function OwnerPage({ arrival }: { readonly arrival: Arrival | null }) {
  const hash = useHash();
  const opening = useAsync(() => Owner.open(), []);
  // The backup is kept here, where neither the address nor a new state of the device removes it before
  // somebody has saved it.
  const [backup, setBackup] = useState<MadeBackup | null>(null);
  const [trusted, setTrusted] = useState<Trusted | null>(null);
  useEffect(() => setTrusted(null), [arrival]);
  const [used, setUsed] = useState<Arrival | null>(null);
  const name = backup === null ? routes.match(hash)?.name : null;
  const link = (text: string, to: 'tasks' | 'policy' | 'device' | 'trust') => ({
    text,
    href: routes.href(to, {}),
    current: name === to || (to === 'policy' && name === 'policyOfTask'),
  });
  return (
    <Layout
      name="Eigenveil: your contribution"
      links={[
        link('Tasks', 'tasks'),
        link('Policy', 'policy'),
        link('This device', 'device'),
        link('Security', 'trust'),
      ]}
    >
      {backup !== null && <BackupStep backup={backup} onSaved={() => setBackup(null)} />}
      {name === 'trust' && <TrustView />}
      {name !== 'trust' && opening.state === 'loading' && <p>Opening what this browser keeps…</p>}
      {name !== 'trust' && opening.state === 'failed' && (
        <View title="This page cannot work here" name="Problem">
          <OwnerProblem error={opening.error}>
            <Button onClick={opening.again}>Try again</Button>
          </OwnerProblem>
        </View>
      )}
      {name !== 'trust' && backup === null && opening.state === 'done' && (
        <Opened
          owner={opening.value}
          hash={hash}
          arrival={arrival === used ? null : arrival}
          trusted={trusted}
          onTrust={setTrusted}
          onBackup={setBackup}
          onUsed={() => {
            forgetInvitation();
            setUsed(arrival);
          }}
        />
      )}
    </Layout>
  );
}

function Opened(
  props: Omit<EnrolProps, 'status' | 'look'> & { readonly owner: Owner; readonly hash: string },
) {
  const { owner, hash } = props;
  const status = useAsync(() => owner.state.status(), [owner]);
  // Another tab may have changed the state.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') status.again();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [status.again]);
  if (status.state === 'loading') return <p>Opening what this browser keeps…</p>;
  if (status.state === 'failed')
    return (
      <View title="This page cannot work here" name="Problem">
        <OwnerProblem error={status.error} />
      </View>
    );
  return (
    <>
      {status.value.movedAt !== null && (
        <Moved movedAt={status.value.movedAt} isSaved={status.value.isTransferSaved} />
      )}
      <Place key={hash} {...props} status={status.value} look={status.again} />
    </>
  );
}

function Moved({ movedAt, isSaved }: { readonly movedAt: string; readonly isSaved: boolean }) {
  if (!isSaved)
    return (
      <Notice kind="warn" title="This device has stopped, and the transfer file is not saved yet">
        <p>
          Without that file the owner cannot go on elsewhere as it was.{' '}
          <a href={routes.href('device', {})}>Save it</a>
        </p>
      </Notice>
    );
  return (
    <Notice kind="warn" title="This owner is on another device now">
      <p>
        It left this one on {exactTime(new Date(movedAt))}. Here its receipts can be seen, and nothing else be
        done.
      </p>
    </Notice>
  );
}

function Place(props: EnrolProps & { readonly hash: string }) {
  const { hash, ...enrolment } = props;
  const { owner, status, look } = enrolment;
  const common = { owner, status, look };
  const enrol = <EnrolView {...enrolment} />;
  const route = routes.match(hash);
  const isEnrolled = status.enrolment !== null;
  switch (hash === '' ? 'tasks' : route?.name) {
    case 'tasks':
      return isEnrolled ? <TasksView {...common} /> : enrol;
    case 'enrol':
      return enrol;
    case 'policy':
    case 'policyOfTask': {
      const from = TaskId.safeParse(route?.name === 'policyOfTask' ? route.params.taskId : '');
      return <PolicyView owner={owner} taskId={from.data ?? null} />;
    }
    case 'device':
      return <DeviceView {...common} />;
    case 'task': {
      const id = TaskId.safeParse(route?.name === 'task' ? route.params.taskId : '');
      if (!id.success) return <Nowhere />;
      return isEnrolled ? <TaskView {...common} taskId={id.data} /> : enrol;
    }
    default:
      return <Nowhere />;
  }
}

function Nowhere() {
  return (
    <View title="There is no such page" name="No such page">
      <p>
        <a href={routes.href('tasks', {})}>See your tasks</a>
      </p>
    </View>
  );
}
