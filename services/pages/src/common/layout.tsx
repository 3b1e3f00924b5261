/** The frame of every page: a header with its links, and views that say where the person is. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Link {
  readonly text: string;
  readonly href: string;
  /** True if the link leads to the view that is shown. */
  readonly current: boolean;
}

/** @param actions at the end of the header, such as signing out */
export function Layout(props: {
  readonly name: string;
  readonly links: readonly Link[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { name, links, actions, children } = props;
  const main = useRef<HTMLElement>(null);
  return (
    <>
      {/* A link would change the address, in which the place is kept. */}
      <button type="button" class="skip" onClick={() => main.current!.focus()}>
        Skip to the content
      </button>
      <header>
        <span class="brand">{name}</span>
        {links.length > 0 && (
          <nav aria-label="Main">
            {links.map(({ text, href, current }) => (
              <a key={href} href={href} {...(current ? { 'aria-current': 'page' } : {})}>
                {text}
              </a>
            ))}
          </nav>
        )}
        <div class="actions">{actions}</div>
      </header>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

let isFirst = true;

/**
 * A view with its one heading. It names the browser's tab, and takes the focus when it follows another view.
 * Give it a `key` that changes with the place.
 * @param name for the tab, where the title is no text or belongs to somebody else
 */
export function View(props: {
  readonly title: ComponentChildren;
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  const { title, name, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current!.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${name} · Eigenveil`;
  }, [name]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}
