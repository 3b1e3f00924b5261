/** Becoming an owner: a key for this device, the services that it trusts, and the CSP's signed token. */
import { Thumbprint } from '@eigenveil/task/ids';
import { thumbprintOf } from '@eigenveil/wire';
import { OwnerLink, readOwnerLink } from '@eigenveil/wire/owner-link';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Grouped } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { OwnerProblem, TextField } from './fields.tsx';
import { KeyStep } from './key-step.tsx';
import type { OwnerViewProps } from './owner.ts';
import { type Arrival, routes } from './routes.ts';

export interface EnrolProps extends OwnerViewProps {
  readonly arrival: Arrival | null;
  /** Called with the text of the backup file of a new key. */
  readonly onBackup: (backup: string) => void;
}

export function EnrolView(props: EnrolProps) {
  const { owner, status, look, arrival, onBackup } = props;
  const title = status.enrolment === null ? 'Become a data owner' : 'Enrol again';
  return (
    <View title={title} name="Enrol">
      {arrival?.kind === 'refused' && (
        <OwnerProblem error={arrival.error} title="The link cannot be used">
          <p>Have it sent again, or fill in below what it should have said.</p>
        </OwnerProblem>
      )}
      {status.movedAt === null && status.thumbprint === null && (
        <KeyStep owner={owner} onMade={(backup) => (backup === null ? look() : onBackup(backup))} />
      )}
      {status.movedAt === null && status.thumbprint !== null && (
        <TrustStep {...props} link={arrival?.kind === 'link' ? arrival.link : null} />
      )}
    </View>
  );
}

/** The services that the owner is about to trust, all to be seen and changed, and the token. */
function TrustStep(props: OwnerViewProps & { readonly link: OwnerLink | null }) {
  const { owner, status, look, link } = props;
  const [csp, setCsp] = useState(link?.csp ?? status.enrolment?.csp.url ?? '');
  const [thumbprint, setThumbprint] = useState<string>(link?.thumbprint ?? '');
  const [dataUser, setDataUser] = useState(link?.dataUser ?? '');
  const [task, setTask] = useState<string>(link?.task ?? '');
  const [token, setToken] = useState(link?.token ?? '');
  const filled = Object.entries({ csp, thumbprint, dataUser, task, token }).flatMap(([name, text]) =>
    text.trim() === '' ? [] : [[name, text.trim()]],
  );
  const wanted = OwnerLink.safeParse(Object.fromEntries(filled));
  const wrong = (member: keyof OwnerLink): string | null => {
    const isFilled = filled.some(([name]) => name === member);
    const issue = wanted.error?.issues.find(({ path }) => path[0] === member);
    return isFilled && issue !== undefined ? WRONG[member] : null;
  };
  const [pasted, setPasted] = useState<unknown>(null);
  const paste = (text: string) => {
    setPasted(null);
    if (!text.includes('#')) return setToken(text);
    // The text may be a whole link, as it came by mail.
    try {
      const it = readOwnerLink(text.slice(text.indexOf('#')));
      setCsp(it.csp);
      setThumbprint(it.thumbprint);
      setDataUser(it.dataUser ?? '');
      setTask(it.task ?? '');
      setToken(it.token ?? '');
    } catch (error) {
      setPasted(error);
    }
  };
  const enrol = useAction(async (gone) => {
    if (!wanted.success || wanted.data.token === undefined) return;
    const { dataUser: at, task: id } = wanted.data;
    await owner.enrol(wanted.data, wanted.data.token);
    if (at !== undefined && id !== undefined) await owner.state.addTask(id, at);
    look();
    if (!gone.aborted)
      location.hash = id === undefined ? routes.href('tasks', {}) : routes.href('task', { taskId: id });
  });
  const isComplete = wanted.success && wanted.data.token !== undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) enrol.run();
      }}
    >
      <p>
        You are about to trust the CSP below: it signs every task that you take part in, and must not work
        together with the data user. Compare its thumbprint with the one that you were told by another way
        than this link: by telephone, on paper, from the CSP’s own site.
      </p>
      <AnotherCsp status={status} thumbprint={thumbprint} />
      <TextField
        label="Token, or the whole link"
        hint="Works once. The CSP’s operator makes it."
        value={token}
        onValue={paste}
        error={wrong('token')}
        isSecret={token !== ''}
      />
      <OwnerProblem error={pasted} title="The link cannot be used" />
      <TextField label="Address of the CSP" value={csp} onValue={setCsp} error={wrong('csp')} />
      <TextField
        label="Thumbprint of the CSP’s key"
        hint="43 characters. Nobody else than the CSP can have it."
        value={thumbprint}
        onValue={setThumbprint}
        error={wrong('thumbprint')}
      />
      {Thumbprint.safeParse(thumbprint.trim()).success && (
        <p>
          To compare: <Grouped value={thumbprint.trim()} />
        </p>
      )}
      <TextField
        label="Address of the data user (may stay empty)"
        hint="Who proposes the task and gets the result."
        value={dataUser}
        onValue={setDataUser}
        error={wrong('dataUser')}
      />
      <TextField
        label="Task (may stay empty)"
        hint="22 characters; looked for at the data user."
        value={task}
        onValue={setTask}
        error={wrong('task')}
      />
      <OwnerProblem error={enrol.error} title="The CSP has not enrolled you" />
      <Button kind="main" submit busy={enrol.busy} disabled={!isComplete}>
        Trust this CSP and enrol
      </Button>
    </form>
  );
}

const WRONG: Readonly<Record<keyof OwnerLink, string>> = {
  csp: 'Expected an https address without a path, such as https://csp.example.org:8443',
  thumbprint: 'Expected 43 letters, digits, - and _',
  dataUser: 'Expected an https address without a path, such as https://user.example.org:8444',
  task: 'Expected 22 letters, digits, - and _, and the address of the data user',
  token: 'Expected a token as the CSP’s operator has it, or a whole link',
};

/** Says so if the CSP differs from this owner's CSP. */
function AnotherCsp({
  status: { enrolment },
  thumbprint,
}: {
  readonly status: OwnerViewProps['status'];
  readonly thumbprint: string;
}) {
  const known = useAsync(
    async () => (enrolment === null ? null : thumbprintOf(enrolment.cspKey)),
    [enrolment],
  );
  if (known.state !== 'done' || known.value === null) return null;
  const isSame = thumbprint.trim() === known.value;
  if (isSame || !Thumbprint.safeParse(thumbprint.trim()).success)
    return (
      <Notice kind="info" title="You are enrolled already">
        <p>
          At the CSP with the thumbprint <Grouped value={known.value} />. Another token of it renews your
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
