/**
 * The forecast of a proposal: its costs, the effect of its noise, and the results to expect from the sample.
 */
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../../common/feedback.tsx';
import { bytes } from '../../common/format.ts';
import { Untrusted } from '../../common/text.tsx';
import { obstaclesTo } from '../create/check-proposal.ts';
import { draftWords } from './draft-words.ts';
import { contributionBytes, notesOnSample, notesOnTask, tellable } from './forecast.ts';
import type { Json } from './members.ts';

/** The forecast is made once nobody has typed for this time. */
const PAUSE = 400;

interface Told {
  /** The number of bytes that an owner sends. */
  readonly sent: number | null;
  readonly ofTask: readonly string[] | null;
  readonly ofSample: readonly string[] | null;
  readonly error: unknown;
}

const NOTHING: Told = { sent: null, ofTask: null, ofSample: null, error: null };

export function Forecast({ file, value }: { readonly file: File | null; readonly value: Json }) {
  const [told, setTold] = useState(NOTHING);
  const key = JSON.stringify(value);
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    setTold(NOTHING);
    const timer = setTimeout(() => void forecast(file, value, signal, setTold), PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [key, file]);
  const { sent, ofTask, ofSample, error } = told;
  return (
    <section aria-label="Forecast" aria-busy={ofTask === null}>
      <h3>Forecast</h3>
      {sent !== null && <p>Each owner sends {bytes(sent)}, once.</p>}
      <Notes title="Of this task" notes={ofTask} />
      {file !== null && <Notes title="If rows are like the sample’s" notes={ofSample} />}
      <Problem error={error} title="No forecast" words={draftWords} />
    </section>
  );
}

async function forecast(
  file: File | null,
  value: Json,
  signal: AbortSignal,
  tell: (change: (told: Told) => Told) => void,
): Promise<void> {
  const task = tellable(value);
  // The fault is shown at its member.
  if (task === null || obstaclesTo(task, { now: new Date(), written: value }).length > 0) return;
  const add = (part: Partial<Told>) => {
    if (!signal.aborted) tell((told) => ({ ...told, ...part }));
  };
  try {
    add({ sent: contributionBytes(task) });
    if (file !== null) add({ ofSample: await notesOnSample(file, task, signal) });
    add({ ofTask: await notesOnTask(task, signal) });
  } catch (error) {
    add({ error });
  }
}

function Notes({ title, notes }: { readonly title: string; readonly notes: readonly string[] | null }) {
  return (
    <>
      <h4>{title}</h4>
      {notes === null ? (
        <p class="hint">Not yet.</p>
      ) : notes.length === 0 ? (
        <p>Nothing stands against it.</p>
      ) : (
        <ul>
          {notes.map((note) => (
            <li key={note}>
              <Untrusted text={note} longest={600} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
