/** Says how far a contribution is, from the first byte that is read to the receipt. */
import type { CodedError } from '@eigenveil/platform';
import { Notice, Progress } from '../common/feedback.tsx';
import { Untrusted } from '../common/text.tsx';
import { toldOf } from './refusals.ts';

/** A step of a contribution; `total` is null where nobody knows how much it will be. */
export interface Step {
  readonly kind: keyof typeof STEPS;
  readonly done: number;
  readonly total: number | null;
}

const STEPS = {
  reading: { title: 'Step 1 of 3: reading your file', unit: 'bytes' },
  encrypting: { title: 'Step 2 of 3: encrypting the sums', unit: 'encrypted numbers' },
  sending: { title: 'Step 3 of 3: sending to the data user', unit: 'bytes' },
} as const;

/** @param retry why the last request has failed, while it is going to be repeated */
export function SendingStatus(props: { readonly step: Step | null; readonly retry: CodedError | null }) {
  const { step, retry } = props;
  return (
    <>
      <p role="status">{step !== null && STEPS[step.kind].title}</p>
      {step !== null &&
        (step.total === null ? (
          <progress aria-label={STEPS[step.kind].title} />
        ) : (
          <Progress
            label={STEPS[step.kind].title}
            done={step.done}
            planned={step.total}
            unit={STEPS[step.kind].unit}
          />
        ))}
      <Retrying error={retry} />
    </>
  );
}

/** @param error why the last request has failed, while it is going to be repeated */
export function Retrying({ error }: { readonly error: CodedError | null }) {
  if (error === null) return null;
  return (
    <Notice
      kind="warn"
      title={navigator.onLine ? 'Connection lost. Retrying…' : 'You are offline. Trying again…'}
      live
    >
      <p>
        <Untrusted text={toldOf(error).says} longest={300} />
      </p>
    </Notice>
  );
}
