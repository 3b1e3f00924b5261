/** The owner on this device: whether the browser keeps its data, and how it moves to another device. */
import { isOf } from '@eigenveil/platform';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save, textOf } from '../common/files.ts';
import { capital, exactTime } from '../common/format.ts';
import { View } from '../common/layout.tsx';
import { Grouped } from '../common/text.tsx';
import { type Action, useAction } from '../common/use-async.ts';
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
import { routes } from './routes.ts';
import { FILE_NAMES, faultAt, LONGEST_FILE, SEALED_TYPE, type SealedKind } from './sealed-file.ts';

/** Browsers know no type of files that end in .age, and some would then offer none. */
const ANY_TYPE = '';

export function DeviceView(props: OwnerViewProps) {
  const { status } = props;
  const { thumbprint, enrolment, movedAt, isBare } = status;
  const [isBrought, setBrought] = useState(false);
  const brought = useRef<HTMLDivElement>(null);
  // The form goes, and the focus with it.
  useEffect(() => {
    if (isBrought) brought.current!.focus();
  }, [isBrought]);
  return (
    <View title="This device" name="This device">
      {isBrought && (
        <div ref={brought} tabIndex={-1}>
          <Notice kind="good" title="The owner is on this device now">
            <p>
              {enrolment === null ? (
                <>
                  Its key came alone: <a href={routes.href('enrol', {})}>enrol again</a> with another
                  invitation.
                </>
              ) : (
                <a href={routes.href('tasks', {})}>Go on with your tasks</a>
              )}
            </p>
          </Notice>
        </div>
      )}
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
      {enrolment === null && movedAt === null && !isBrought && (
        <Restore {...props} onBrought={() => setBrought(true)} />
      )}
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
    const text = await sealedText('backup', backup!);
    setDone(false);
    setTransfer(await owner.state.exclusively(() => leave(owner.state.database, text, passphrase)));
    setPassphrase('');
    look();
  });
  const form = useSealedForm('leave', LEAVE, go, {
    backup: backup === null && 'Choose the file',
    passphrase: passphrase === '' && 'Type the passphrase',
    sure: !isSure && 'Tick this if it is meant',
  });
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
        file, the transfer file, under the same passphrase: contributions without a receipt, receipts,
        withdrawals, your enrolment and your policy. This device stops first, and for good: it contributes
        nothing any more.
        {status.movedAt !== null && ' It has stopped already; you can make the transfer file once more.'}
      </p>
      <p>Bring the two files to one device only. On two, the same rows could be contributed twice.</p>
      <FaultSummary title="The transfer file was not made: fix these fields" {...form.summary} />
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
      <StandsStill busy={go.busy} doing="The backup is opened, and the transfer file is sealed" />
      <OwnerProblem
        error={form.unplaced}
        title="The owner stays where it is, unless it says above that this device has stopped"
      />
      <Button kind="danger" submit busy={go.busy}>
        Stop this device and make the transfer file
      </Button>
      {transfer !== null && (
        <Notice kind="good" title="This device has stopped" live>
          <p>Save the transfer file, say here that you have it, and open both on the other device.</p>
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

function Restore({ owner, look, onBrought }: OwnerViewProps & { readonly onBrought: () => void }) {
  const [backup, setBackup] = useState<File | null>(null);
  const [transfer, setTransfer] = useState<File | null>(null);
  const [isLost, setLost] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const go = useAction(async () => {
    const [key, beside] = await Promise.all([
      sealedText('backup', backup!),
      transfer === null || isLost ? null : sealedText('transfer', transfer),
    ]);
    await owner.state.exclusively(async () => {
      await owner.state.persist();
      await restore(owner.state.database, key, beside, passphrase);
    });
    setPassphrase('');
    onBrought();
    look();
  });
  const form = useSealedForm('restore', RESTORE, go, {
    backup: backup === null && 'Choose the file',
    transfer: transfer === null && !isLost && 'Choose the file, or tick below that the other device is lost',
    passphrase: passphrase === '' && 'Type the passphrase',
  });
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
        hint="The file that the other device makes when it stops."
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
      <OwnerProblem error={form.unplaced} title="Nothing was brought here" />
      <Button kind="main" submit busy={go.busy}>
        Bring the owner here
      </Button>
    </form>
  );
}

async function sealedText(kind: SealedKind, file: File): Promise<string> {
  if (file.size > LONGEST_FILE)
    throw faultAt(
      kind,
      DEVICE_CODES.ERR_BACKUP_INVALID,
      `${JSON.stringify(file.name)} is too large for a ${kind} file`,
    );
  return textOf(file);
}

/**
 * Holds the faults of a form of sealed files: what is not filled in, and what an error says of a field.
 * @param prefix what ids of controls begin with
 * @param missing by field, in their order, the words where it is not filled in
 * @returns as `useFaults`, with `unplaced`, the error where it is about no field
 */
function useSealedForm<Name extends string>(
  prefix: string,
  labels: Readonly<Record<Name, string>>,
  go: Action<[]>,
  missing: Readonly<Record<Name, string | false>>,
) {
  const found = placed(go.error);
  const faults = (Object.keys(missing) as Name[]).flatMap((name): FieldFault[] => {
    const words = missing[name] || (found?.at === name && found.words);
    return words ? [{ id: `${prefix}-${name}`, label: labels[name], words }] : [];
  });
  const form = useFaults(faults, go.run);
  useEffect(() => {
    if (found !== null) form.show();
  }, [go.error]);
  return { ...form, unplaced: found === null ? go.error : null };
}

/** Returns the field that an error is about, and what it says; null where it is about none. */
function placed(error: unknown): { readonly at: PropertyKey; readonly words: string } | null {
  if (!isOf(DEVICE_CODES, error)) return null;
  const [fault] = error.faults;
  const at = fault?.path[0];
  return fault === undefined || at === undefined ? null : { at, words: capital(String(fault.words)) };
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
