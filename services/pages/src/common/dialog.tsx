/** A dialog over the page: the browser keeps the focus inside, and gives it back afterwards. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A dialog that is open for as long as it is rendered. Put `autofocus` on the control to begin with;
 * otherwise it is the first one.
 * @param onClose when it is left with Escape; take it away then
 */
export function Dialog(props: {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, onClose, children } = props;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // This is a layout effect, since the browser gives the focus back only while the dialog is still in the
  // page.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
