/** Shows what was read of a file before anything is sent: a dry run, which its owner confirms or not. */
import { Words } from '@eigenveil/platform';
import { constantFeatures, type StatisticsTask } from '@eigenveil/task';
import { Button, Dialog } from '../common/controls.tsx';
import { count } from '../common/format.ts';
import { Untrusted } from '../common/text.tsx';
import type { RowsRead } from './jobs.ts';
import { RowPicture } from './row-picture.tsx';
import { pageWords, sentence } from './words.ts';

export interface Question {
  readonly read: RowsRead;
  /** Sentences about noise that is added to the owner's sums. */
  readonly ownFloor: readonly (Words | string)[];
  readonly answer: (isWanted: boolean) => void;
}

export function ConfirmDialog(props: Question & { readonly features: StatisticsTask['features'] }) {
  const { features, read, ownFloor, answer } = props;
  const notes = [
    ...read.remarks.map((parts) => pageWords(new Words(parts))),
    ...(read.clippedRows > 0
      ? [`${count(read.clippedRows, 'row')} longer than the clipping norm of the task: scaled down to it`]
      : []),
    ...constantFeatures({ features }).map(
      (name) => `feature ${JSON.stringify(name)} has an empty range and carries nothing`,
    ),
  ];
  return (
    <Dialog title="This was read. Send it?" onClose={() => answer(false)}>
      <RowPicture names={features.map(({ name }) => name)} read={read} />
      {read.clippedCells.some((cells) => cells > 0) && (
        <p>Clipped values lie outside of the agreed range, and count as the end of the range.</p>
      )}
      {notes.length > 0 && (
        <>
          <h3>Take care</h3>
          <ul>
            {notes.map((note) => (
              <li key={note}>
                <Untrusted text={sentence(note)} longest={600} />
              </li>
            ))}
          </ul>
        </>
      )}
      {ownFloor.map((words) => (
        <p key={String(words)}>
          <Untrusted text={sentence(words)} longest={2000} />
        </p>
      ))}
      <p>What is sent are encrypted sums over these rows, and your signature. The rows stay here.</p>
      <div class="row">
        <Button kind="main" onClick={() => answer(true)}>
          Encrypt and send
        </Button>
        <Button onClick={() => answer(false)}>Do not send</Button>
      </div>
    </Dialog>
  );
}
