/**
 * Takes the ranges of a projection from a histogram's noisy counts, says how many of the rows they hold, and
 * leads on to the draft.
 */
import { useMemo, useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { Problem } from '../../common/feedback.tsx';
import { LEVELS, rangedDraft } from '../draft/first-draft.ts';
import type { CheckedResult } from './verify.ts';

/** @param draft goes on with this JSON where tasks are drafted */
export function Ranges(props: { readonly checked: CheckedResult; readonly draft: (text: string) => void }) {
  const { checked, draft } = props;
  const [lower, setLower] = useState(String(LEVELS.lower));
  const [upper, setUpper] = useState(String(LEVELS.upper));
  const ranged = useMemo(() => {
    try {
      return { ...rangedDraft(checked, { lower: Number(lower), upper: Number(upper) }), error: null };
    } catch (error) {
      return { text: '', notes: [], error };
    }
  }, [checked, lower, upper]);
  return (
    <>
      <h2>Ranges for a projection</h2>
      <div class="columns">
        <Field label="Rows below a range" hint="As a share of all rows: from one quantile to the other.">
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              value={lower}
              onInput={({ currentTarget }) => setLower(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Rows up to its end">
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              value={upper}
              onInput={({ currentTarget }) => setUpper(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <div role="status">
        {ranged.notes.map((note) => (
          <p key={note}>{`${note[0]!.toUpperCase()}${note.slice(1)}.`}</p>
        ))}
      </div>
      <Problem error={ranged.error} title="These counts give no such ranges" />
      <Button kind="main" disabled={ranged.error !== null} onClick={() => draft(ranged.text)}>
        Draft a PCA with these ranges
      </Button>
      <p>
        For another method, and a sample with labels: <code>--ranges-from {checked.task.id}</code> of{' '}
        <code>eigenveil-user task draft</code>.
      </p>
    </>
  );
}
