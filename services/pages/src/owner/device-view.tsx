/** The owner on this device: whether the browser keeps its data, and how it moves to another device. */
import { CodedError, isOf } from '@eigenveil/platform';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save, textOf } from '../common/files.ts';
import { capital, exactTime } from '../common/format.ts';
import { View } from '../common/layout.tsx';
import { Grouped } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import { leave, restore } from './backup.ts';
import { DEVICE_CODES } from './codes.ts';
import {
  Check,
  FaultSummary,
  type FieldFault,
  FileField,
  OwnerProblem,
  StandsStill,
  TextField,
  useFaults,
} from './fields.tsx';
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

const LEAVE = {
  backup: 'Backup file of your key',
  passphrase: 'Passphrase of the backup',
  sure: 'This device shall stop',
} as const;

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
    const text = await backupText(backup!);
    setDone(false);
    setTransfer(await owner.state.exclusively(() => leave(owner.state.database, text, passphrase)));
    setPassphrase('');
    look();
  });
  const form = useFaults(
    [
      ...missing(backup !== null, {
        id: 'leave-backup',
        label: LEAVE.backup,
        words: 'Choose the file',
      }),
      ...passphraseFaults('leave-passphrase', LEAVE.passphrase, passphrase, go.error),
      ...missing(isSure, {
        id: 'leave-sure',
        label: LEAVE.sure,
        words: 'Tick this if it is meant',
      }),
    ],
    go.run,
  );
  useEffect(() => {
    if (isWrongPassphrase(go.error)) form.show();
  }, [go.error]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
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
      <FaultSummary title="The second file was not made: fix these fields" {...form.summary} />
      <FileField
        id="leave-backup"
        label={LEAVE.backup}
        accept={ANY_TYPE}
        error={form.wrong('leave-backup')}
        onFile={(file) => {
          setBackup(file);
          go.reset();
        }}
      />
      <TextField
        id="leave-passphrase"
        label={LEAVE.passphrase}
        value={passphrase}
        error={form.wrong('leave-passphrase')}
        onValue={(text) => {
          setPassphrase(text);
          go.reset();
        }}
        isSecret
      />
      <Check
        id="leave-sure"
        label={LEAVE.sure}
        error={form.wrong('leave-sure')}
        checked={isSure}
        onChecked={setSure}
      />
      <StandsStill busy={go.busy} doing="The backup is opened, and the second file is sealed" />
      <OwnerProblem
        error={isWrongPassphrase(go.error) ? null : go.error}
        title="The owner stays where it is, unless it says above that this device has stopped"
      />
      <Button kind="danger" submit busy={go.busy}>
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

const RESTORE = {
  backup: 'Backup file of the key',
  transfer: 'Transfer file',
  passphrase: 'Passphrase',
} as const;

function Restore({ owner, look }: OwnerViewProps) {
  const [backup, setBackup] = useState<File | null>(null);
  const [transfer, setTransfer] = useState<File | null>(null);
  const [isLost, setLost] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [isDone, setDone] = useState(false);
  const go = useAction(async () => {
    const [key, beside] = await Promise.all([
      backupText(backup!),
      transfer === null || isLost ? null : backupText(transfer),
    ]);
    await owner.state.exclusively(async () => {
      await owner.state.persist();
      await restore(owner.state.database, key, beside, passphrase);
    });
    setPassphrase('');
    setDone(true);
    look();
  });
  const form = useFaults(
    [
      ...missing(backup !== null, {
        id: 'restore-backup',
        label: RESTORE.backup,
        words: 'Choose the file',
      }),
      ...missing(transfer !== null || isLost, {
        id: 'restore-transfer',
        label: RESTORE.transfer,
        words: 'Choose the file, or tick below that the other device is lost',
      }),
      ...passphraseFaults('restore-passphrase', RESTORE.passphrase, passphrase, go.error),
    ],
    go.run,
  );
  useEffect(() => {
    if (isWrongPassphrase(go.error)) form.show();
  }, [go.error]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <h2>Bring an owner from another device</h2>
      <FaultSummary title="Nothing was brought here: fix these fields" {...form.summary} />
      <FileField
        id="restore-backup"
        label={RESTORE.backup}
        accept={ANY_TYPE}
        error={form.wrong('restore-backup')}
        onFile={(file) => {
          setBackup(file);
          go.reset();
        }}
      />
      <FileField
        id="restore-transfer"
        label={RESTORE.transfer}
        hint="The second file, which the other device makes when it stops."
        accept={ANY_TYPE}
        error={form.wrong('restore-transfer')}
        onFile={(file) => {
          setTransfer(file);
          go.reset();
        }}
      />
      <Check
        label="The other device is lost: there is no transfer file"
        hint="Then only the key comes back. You enrol with another token, and tasks under differential privacy are refused here."
        checked={isLost}
        onChecked={(on) => {
          setLost(on);
          go.reset();
        }}
      />
      <TextField
        id="restore-passphrase"
        label={RESTORE.passphrase}
        value={passphrase}
        error={form.wrong('restore-passphrase')}
        onValue={(text) => {
          setPassphrase(text);
          go.reset();
        }}
        isSecret
      />
      <StandsStill busy={go.busy} doing="The files are opened" />
      <OwnerProblem error={isWrongPassphrase(go.error) ? null : go.error} title="Nothing was brought here" />
      {isDone && <Notice kind="good" title="The owner is on this device now" live />}
      <Button kind="main" submit busy={go.busy}>
        Bring the owner here
      </Button>
    </form>
  );
}

function backupText(file: File): Promise<string> {
  if (file.size > LONGEST_FILE)
    throw new CodedError(
      DEVICE_CODES.ERR_BACKUP_INVALID,
      `${JSON.stringify(file.name)} is too large for a backup`,
    );
  return textOf(file);
}

/** Returns the fault of a field that is not filled in, or nothing. */
const missing = (isThere: boolean, fault: FieldFault): FieldFault[] => (isThere ? [] : [fault]);

/** Shows what opens no file as a fault of its field: a wrong passphrase, until one of the two is changed. */
function passphraseFaults(id: string, label: string, passphrase: string, error: unknown): FieldFault[] {
  if (isWrongPassphrase(error)) return [{ id, label, words: capital(error.message) }];
  return missing(passphrase !== '', { id, label, words: 'Type the passphrase' });
}

const isWrongPassphrase = (error: unknown): error is CodedError =>
  isOf(DEVICE_CODES, error) && error.code === 'ERR_PASSPHRASE';

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
