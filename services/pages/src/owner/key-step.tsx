/** The owner's key on this device: it is made here, with a backup that is offered now and never again. */
import { useEffect, useState } from 'preact/hooks';
import { Button, Dialog } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { View } from '../common/layout.tsx';
import { useAction } from '../common/use-async.ts';
import { makeKey } from './backup.ts';
import { Check, FaultSummary, OwnerProblem, StandsStill, TextField, useFaults } from './fields.tsx';
import type { Owner } from './owner.ts';
import { generatePassphrase, PASSPHRASE_RULE, passphraseProblem } from './passphrase.ts';
import { routes } from './routes.ts';
import { FILE_NAMES, SEALED_TYPE } from './sealed-file.ts';

/** The backup of a key that was just made. */
export interface MadeBackup {
  /** The text of the file. */
  readonly file: string;
  /** The passphrase that the page has generated; null for one that somebody has typed, and so knows. */
  readonly passphrase: string | null;
}

/**
 * Shows the backup of the key that was just made until the person at the page has it: nobody can make another
 * one.
 */
export function BackupStep(props: { readonly backup: MadeBackup; readonly onSaved: () => void }) {
  const { backup, onSaved } = props;
  const { file, passphrase } = backup;
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <View title="Become a data owner" name="Enrol">
      <Notice kind="warn" title="Save the backup now" live>
        <p>
          The page keeps no copy of it. Without the file and its passphrase this key can never leave this
          browser, and is lost with the browser’s data.
        </p>
      </Notice>
      {passphrase !== null && <Generated passphrase={passphrase} />}
      <div class="row">
        <Button kind="main" onClick={() => save(FILE_NAMES.backup, SEALED_TYPE, file)}>
          Save the backup file
        </Button>
      </div>
      <Check
        label="I have the file, and the passphrase at another place"
        checked={isSaved}
        onChecked={setSaved}
      />
      <Button disabled={!isSaved} onClick={onSaved}>
        Go on
      </Button>
    </View>
  );
}

function Generated({ passphrase }: { readonly passphrase: string }) {
  return (
    <>
      <dl class="facts">
        <dt>Passphrase of the backup</dt>
        <dd>{passphrase}</dd>
      </dl>
      <p>Write it down now, and keep it at another place than the file.</p>
    </>
  );
}

const DIFFERS = 'The passphrases do not match';

/** @param onMade told the backup; null where there shall be none */
export function KeyStep({
  owner,
  onMade,
}: {
  readonly owner: Owner;
  readonly onMade: (backup: MadeBackup | null) => void;
}) {
  // The one that was shown first stays, since somebody may have written it down.
  const [generated] = useState(generatePassphrase);
  const [typed, setPassphrase] = useState('');
  const [isTyped, setTyped] = useState(false);
  const passphrase = isTyped ? typed : generated;
  const [again, setAgain] = useState('');
  const weak = passphraseProblem(passphrase);
  const differs = isTyped && again !== passphrase;
  const [isSealing, setSealing] = useState(false);
  /** True while the page asks whether there shall be no backup. */
  const [isAsking, setAsking] = useState(false);
  const make = useAction(async (_signal, secret: string | null) => {
    setSealing(secret !== null);
    const file = await owner.state.exclusively(async () => {
      // Some browsers ask people; others decide by themselves.
      await owner.state.persist();
      return makeKey(owner.state.database, secret);
    });
    onMade(file === null ? null : { file, passphrase: isTyped ? null : secret });
  });
  const form = useFaults(
    [
      ...(weak === null ? [] : [{ id: 'key-passphrase', label: 'Passphrase', words: weak }]),
      ...(differs ? [{ id: 'key-again', label: 'Confirm passphrase', words: DIFFERS }] : []),
    ],
    () => make.run(passphrase),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <p>
        Here you contribute encrypted sums of your rows to a computation with those of others. Your rows stay
        in this browser. First it makes a key, by which services know you.
      </p>
      <h2>A backup of your key</h2>
      <p>
        The browser lets nobody take the key out again, not even this page. So there is one moment for a
        backup: now. It is a file that only its passphrase opens, and you need it to move to another device.
      </p>
      <FaultSummary title="No key was made: fix these fields" {...form.summary} />
      {!isTyped && <Generated passphrase={passphrase} />}
      {isTyped && (
        <>
          <TextField
            id="key-passphrase"
            label="Passphrase"
            hint={PASSPHRASE_RULE}
            value={passphrase}
            onValue={setPassphrase}
            isSecret
            error={passphrase === '' ? form.wrong('key-passphrase') : weak}
          />
          <TextField
            id="key-again"
            label="Confirm passphrase"
            value={again}
            onValue={setAgain}
            isSecret
            error={again === '' ? form.wrong('key-again') : differs ? DIFFERS : null}
          />
        </>
      )}
      <div class="row">
        <Button kind="main" submit busy={make.busy}>
          Make the key and its backup
        </Button>
        <Button
          busy={make.busy}
          onClick={() => {
            setPassphrase('');
            setAgain('');
            setTyped(!isTyped);
          }}
        >
          {isTyped ? 'Take the generated passphrase' : 'Type a passphrase'}
        </Button>
        <Button busy={make.busy} onClick={() => setAsking(true)}>
          Make the key without a backup…
        </Button>
      </div>
      {isAsking && (
        <Dialog title="Make the key without a backup?" onClose={() => setAsking(false)}>
          <p>
            Nobody can make a backup later. This key can then never move to another device, and is lost with
            the browser’s data.
          </p>
          <div class="row">
            <Button
              kind="danger"
              onClick={() => {
                setAsking(false);
                make.run(null);
              }}
            >
              Make it without a backup
            </Button>
            <Button onClick={() => setAsking(false)}>Go back to the backup</Button>
          </div>
        </Dialog>
      )}
      <StandsStill busy={make.busy && isSealing} doing="The backup is sealed" />
      <OwnerProblem error={make.error} />
      <p>
        Have you been an owner on another device? <a href={routes.href('device', {})}>Bring it here</a>{' '}
        instead.
      </p>
    </form>
  );
}
