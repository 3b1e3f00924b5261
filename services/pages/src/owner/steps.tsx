/** The owner's way through a task: all steps with the one that is next, and the focus on what is to be done there. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const STEPS = {
  task: 'Task',
  trust: 'Trust',
  key: 'Key',
  policy: 'Policy',
  contribution: 'Contribution',
  result: 'Result',
} as const;

export type Step = keyof typeof STEPS;

/**
 * Shows the steps, and says what is to be done now. When the step changes, the focus comes here: what is next
 * stands right behind.
 */
export function Steps({
  current,
  children,
}: {
  readonly current: Step;
  readonly children: ComponentChildren;
}) {
  const next = useRef<HTMLParagraphElement>(null);
  const shown = useRef(current);
  useEffect(() => {
    if (shown.current !== current) next.current!.focus();
    shown.current = current;
  }, [current]);
  const names = Object.keys(STEPS) as Step[];
  const place = names.indexOf(current);
  return (
    <>
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
      <p ref={next} tabIndex={-1} class="next">
        {children}
      </p>
    </>
  );
}
