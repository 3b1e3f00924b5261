/** The owner's key on this device: it is made here, with a backup that is offered now and never again. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { save } from '../common/files.ts';
import { View } from '../common/layout.tsx';
import { useAction } from '../common/use-async.ts';
import { makeKey } from './backup.ts';
import { Check, OwnerProblem, TextField } from './fields.tsx';
import type { Owner } from './owner.ts';
import { routes } from './routes.ts';
import { drawPassphrase, PASSPHRASE_RULE, passphraseProblem } from './sealed-file.ts';

export const BACKUP_FILE = 'eigenveil-owner-backup.json';

/**
 * Shows the backup of the key that was just made until the person at the page has it: nobody can make another
 * one.
 */
export function BackupStep({ backup, onSaved }: { readonly backup: string; readonly onSaved: () => void }) {
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
      <div class="row">
        <Button kind="main" onClick={() => save(BACKUP_FILE, 'application/json', backup)}>
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

/** @param onMade told the text of the backup file; null where there shall be none */
export function KeyStep({
  owner,
  onMade,
}: {
  readonly owner: Owner;
  readonly onMade: (backup: string | null) => void;
}) {
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [isShown, setShown] = useState(false);
  const weak = passphraseProblem(passphrase);
  const differs = again !== '' && again !== passphrase;
  const isReady = weak === null && (isShown || again === passphrase);
  const make = useAction(async (_signal, secret: string | null) => {
    const backup = await owner.state.exclusively(async () => {
      // Some browsers ask people; others decide by themselves.
      await owner.state.persist();
      return makeKey(owner.state.database, secret);
    });
    onMade(backup);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) make.run(passphrase);
      }}
    >
      <p>
        Here you contribute encrypted sums of your rows to a computation with those of others. Your rows stay
        in this browser. First it makes a key, by which services know you.
      </p>
      <h2>A backup of your key</h2>
      <p>
        The browser lets nobody take the key out again, not even this page. So there is one moment for a
        backup: now. It is a file that only your passphrase opens, and you need it to move to another device.
      </p>
      <TextField
        label="Passphrase"
        hint={PASSPHRASE_RULE}
        value={passphrase}
        onValue={(text) => {
          setPassphrase(text);
          setShown(false);
        }}
        isSecret={!isShown}
        error={passphrase === '' ? null : weak}
      />
      {!isShown && (
        <TextField
          label="Passphrase once more"
          value={again}
          onValue={setAgain}
          isSecret
          error={differs ? 'It is another one' : null}
        />
      )}
      {isShown && <p>Write it down now, and keep it at another place than the file.</p>}
      <div class="row">
        <Button
          onClick={() => {
            setPassphrase(drawPassphrase());
            setShown(true);
          }}
        >
          Draw a passphrase for me
        </Button>
        <Button kind="main" submit busy={make.busy} disabled={!isReady}>
          Make the key and its backup
        </Button>
        <Button busy={make.busy} onClick={() => make.run(null)}>
          Make the key without a backup
        </Button>
      </div>
      <OwnerProblem error={make.error} />
      <p>
        Have you been an owner on another device? <a href={routes.href('device', {})}>Bring it here</a>{' '}
        instead.
      </p>
    </form>
  );
}
