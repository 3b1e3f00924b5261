/** The owner's way through a task: it shows all steps, and takes the focus to the one that is next. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The steps in their order: the task comes after the key, since its data user tells it to enrolled owners alone. */
const STEPS = {
  trust: 'Trust',
  key: 'Key',
  task: 'Task',
  policy: 'Policy',
  contribution: 'Contribution',
  result: 'Result',
} as const;

export type Step = keyof typeof STEPS;

/** Shows the steps, unless none is current, and says what comes now. When the step changes, the focus comes here. */
export function Steps({
  current,
  children,
}: {
  readonly current: Step | null;
  readonly children: ComponentChildren;
}) {
  const next = useRef<HTMLParagraphElement>(null);
  const shown = useRef(current);
  useEffect(() => {
    if (shown.current !== current) next.current!.focus();
    shown.current = current;
  }, [current]);
  const names = Object.keys(STEPS) as Step[];
  const place = current === null ? null : names.indexOf(current);
  return (
    <>
      {place !== null && (
        <ol class="steps" aria-label="Steps">
          {names.map((name, i) => (
            <li
              key={name}
              {...(i === place ? { 'aria-current': 'step' as const } : {})}
              class={i < place ? 'past' : ''}
            >
              {STEPS[name]}
              {i < place && <span class="hidden"> (done)</span>}
            </li>
          ))}
        </ol>
      )}
      <p ref={next} tabIndex={-1} class="next">
        {children}
      </p>
    </>
  );
}
