/** A part of the page that scrolls by itself where it is too wide; the keyboard reaches it. */
import type { ComponentChildren } from 'preact';

function reachable(element: HTMLElement | null): void {
  if (element !== null) element.tabIndex = 0;
}

export function Scroll({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="scroll" aria-label={label} ref={reachable}>
      {children}
    </section>
  );
}
