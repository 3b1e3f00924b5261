/** A task as people know it: its title, which its data user has written, beside its id. */
import { Untrusted } from './text.tsx';

/** Units of UTF-16 in the longest title, so that none is cut. */
export const LONGEST_TITLE = 160;

/** The title where there is one, and the id. */
export function TaskName({ id, title }: { readonly id: string; readonly title: string | undefined }) {
  return (
    <>
      {title !== undefined && (
        <>
          <Untrusted text={title} longest={LONGEST_TITLE} />{' '}
        </>
      )}
      <span class="id">{id}</span>
    </>
  );
}
