/** The owner on this device: whether the browser keeps its data, and how it moves to another device. */
import { CodedError } from '@eigenveil/platform';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { exactTime } from '../common/format.ts';
import { View } from '../common/layout.tsx';
import { Grouped } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import { leave, restore } from './backup.ts';
import { DEVICE_CODES } from './codes.ts';
import { Check, FileField, OwnerProblem, StandsStill, TextField } from './fields.tsx';
import type { OwnerViewProps } from './owner.ts';
import { FILE_NAMES, LONGEST_FILE, SEALED_TYPE } from './sealed-file.ts';

/** Browsers know no type of files that end in .age, and some would then offer none. */
const ANY_TYPE = '';

export function DeviceView(props: OwnerViewProps) {
  const { status } = props;
  const { thumbprint, enrolment, movedAt, isBare } = status;
  return (
    <View title="This device" name="This device">
      {thumbprint === null ? (
        <p>There is no owner in this browser yet.</p>
      ) : (
        <dl class="facts">
          <dt>Thumbprint of your key</dt>
          <dd>
            <Grouped value={thumbprint} />
          </dd>
          <dt>Owner id</dt>
          <dd>{enrolment === null ? 'not enrolled' : enrolment.ownerId}</dd>
          <dt>On this device</dt>
          <dd>{movedAt === null ? 'yes' : `no, since ${exactTime(new Date(movedAt))}`}</dd>
        </dl>
      )}
      {isBare && (
        <Notice kind="warn" title="The key came here by its backup alone">
          <p>
            What it had contributed before is not known here. So tasks under differential privacy are refused:
            the same rows could be counted, and noise be drawn, twice.
          </p>
        </Notice>
      )}
      {thumbprint !== null && movedAt === null && <Persistence {...props} />}
      {thumbprint !== null && <Leave {...props} />}
      {enrolment === null && movedAt === null && <Restore {...props} />}
    </View>
  );
}

function Leave({ owner, status, look }: OwnerViewProps) {
  const [backup, setBackup] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState('');
  const [isSure, setSure] = useState(false);
  const [transfer, setTransfer] = useState<string | null>(null);
  const [isOffered, setOffered] = useState(false);
  const [isDone, setDone] = useState(false);
  const confirm = useAction(async () => {
    await owner.state.confirmTransfer();
    setDone(true);
    look();
  });
  const go = useAction(async () => {
    const text = await textOf(backup!);
    setDone(false);
    setTransfer(await owner.state.exclusively(() => leave(owner.state.database, text, passphrase)));
    setPassphrase('');
    look();
  });
  const isReady = backup !== null && passphrase !== '' && isSure;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) go.run();
      }}
    >
      <h2>Move to another device</h2>
      <p>
        You need the backup file of your key and its passphrase. What else must not be lost goes into a second
        file under the same passphrase: contributions without a receipt, receipts, withdrawals, your enrolment
        and your policy. This device stops first, and for good: it contributes nothing any more.
        {status.movedAt !== null && ' It has stopped already; you can make the second file once more.'}
      </p>
      <p>Bring the two files to one device only. On two, the same rows could be contributed twice.</p>
      <FileField label="Backup file of your key" accept={ANY_TYPE} onFile={setBackup} />
      <TextField label="Passphrase of the backup" value={passphrase} onValue={setPassphrase} isSecret />
      <Check label="This device shall stop" checked={isSure} onChecked={setSure} />
      <StandsStill busy={go.busy} doing="The backup is opened, and the second file is sealed" />
      <OwnerProblem
        error={go.error}
        title="The owner stays where it is, unless it says above that this device has stopped"
      />
      <Button kind="danger" submit busy={go.busy} disabled={!isReady}>
        Stop this device and make the second file
      </Button>
      {transfer !== null && (
        <Notice kind="good" title="This device has stopped" live>
          <p>Save the second file, say here that you have it, and open both on the other device.</p>
          <div class="row">
            <Button
              kind="main"
              onClick={() => {
                save(FILE_NAMES.transfer, SEALED_TYPE, transfer);
                setOffered(true);
              }}
            >
              Save the transfer file
            </Button>
            <Button disabled={!isOffered} busy={confirm.busy} onClick={() => confirm.run()}>
              I have the transfer file
            </Button>
          </div>
          <OwnerProblem error={confirm.error} />
          {isDone && <p role="status">Bring both files to the other device now.</p>}
        </Notice>
      )}
    </form>
  );
}

function Restore({ owner, look }: OwnerViewProps) {
  const [backup, setBackup] = useState<File | null>(null);
  const [transfer, setTransfer] = useState<File | null>(null);
  const [isLost, setLost] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [isDone, setDone] = useState(false);
  const go = useAction(async () => {
    const [key, beside] = await Promise.all([
      textOf(backup!),
      transfer === null || isLost ? null : textOf(transfer),
    ]);
    await owner.state.exclusively(async () => {
      await owner.state.persist();
      await restore(owner.state.database, key, beside, passphrase);
    });
    setPassphrase('');
    setDone(true);
    look();
  });
  const isReady = backup !== null && passphrase !== '' && (transfer !== null || isLost);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) go.run();
      }}
    >
      <h2>Bring an owner from another device</h2>
      <FileField label="Backup file of the key" accept={ANY_TYPE} onFile={setBackup} />
      <FileField
        label="Transfer file"
        hint="The second file, which the other device makes when it stops."
        accept={ANY_TYPE}
        onFile={setTransfer}
      />
      <Check
        label="The other device is lost: there is no transfer file"
        hint="Then only the key comes back. You enrol with another token, and tasks under differential privacy are refused here."
        checked={isLost}
        onChecked={setLost}
      />
      <TextField label="Passphrase" value={passphrase} onValue={setPassphrase} isSecret />
      <StandsStill busy={go.busy} doing="The files are opened" />
      <OwnerProblem error={go.error} title="Nothing was brought here" />
      {isDone && <Notice kind="good" title="The owner is on this device now" live />}
      <Button kind="main" submit busy={go.busy} disabled={!isReady}>
        Bring the owner here
      </Button>
    </form>
  );
}

function textOf(file: File): Promise<string> {
  if (file.size > LONGEST_FILE)
    throw new CodedError(
      DEVICE_CODES.ERR_BACKUP_INVALID,
      `${JSON.stringify(file.name)} is too large for a backup`,
    );
  return file.text();
}

/** Says whether the browser has promised to keep the page's data, and asks it to. */
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
