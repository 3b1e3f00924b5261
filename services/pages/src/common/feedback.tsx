/** Feedback of a page: notices, problems, progress, and the hint that there is nothing yet. */
import { CodedError, type Words } from '@eigenveil/platform';
import type { ComponentChildren } from 'preact';
import { capital, number } from './format.ts';
import { Untrusted } from './text.tsx';

const KINDS = { info: 'Note', good: 'Done', warn: 'Take care', bad: 'Problem' } as const;

/**
 * @param live whether screen readers say it when it appears: at once when it is `bad`, otherwise when they
 *   have time. Set it for a notice that follows from an action, and not for one that is there from the start.
 */
export function Notice(props: {
  readonly kind: keyof typeof KINDS;
  readonly title?: ComponentChildren;
  readonly live?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { kind, title = KINDS[kind], live = false, children } = props;
  return (
    <div class={`notice ${kind}`} {...(live ? { role: kind === 'bad' ? 'alert' : 'status' } : {})}>
      <strong>{title}</strong>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

/**
 * Shows an error, with its code, or nothing when there is none.
 * @param children what to do about it, where the page knows
 * @param words makes other words of the message
 */
export function Problem(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly words?: (message: Words) => string;
  readonly children?: ComponentChildren;
}) {
  const { error, title, words = String, children } = props;
  if (error === null || error === undefined) return null;
  const code = error instanceof CodedError ? error.code : undefined;
  return (
    <Notice kind="bad" live {...(title === undefined ? {} : { title })}>
      <p>
        <Untrusted
          text={capital(
            error instanceof CodedError
              ? words(error.words)
              : error instanceof Error
                ? error.message
                : String(error),
          )}
          longest={600}
        />
        {code !== undefined && (
          <>
            {' '}
            <code>{code}</code>
          </>
        )}
      </p>
      {children}
    </Notice>
  );
}

/**
 * Shows how much of something is done, as a bar and in words.
 * @param planned null where nobody knows how much it will be
 */
export function Progress(props: {
  readonly label: string;
  readonly done: number;
  readonly planned: number | null;
  /** The unit beside the numbers, such as `AND gates`. */
  readonly unit?: string;
}) {
  const { label, done, planned, unit = '' } = props;
  const words =
    planned === null
      ? `${number(done)} ${unit}`
      : `${number(done)} of ${number(planned)} ${unit} (${Math.floor((100 * Math.min(done, planned)) / Math.max(1, planned))} %)`;
  return (
    <div class="progress">
      <progress
        aria-label={label}
        aria-valuetext={words}
        {...(planned === null ? {} : { value: Math.min(done, planned), max: Math.max(1, planned) })}
      />
      <span>{words}</span>
    </div>
  );
}

/** Stands where things will be, and says how to get the first one. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
