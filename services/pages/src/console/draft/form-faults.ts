/** Faults of a form at their controls: each control has an id by its path, to which whoever tells a fault leads. */
import type { Path } from '../create/places.ts';

/** One thing that is wrong, at the control that `path` names. */
export interface FormFault {
  readonly path: Path;
  readonly words: string;
}

/** Returns the faults at a member and within it, with paths from there. */
export function faultsWithin(faults: readonly FormFault[], name: PropertyKey): FormFault[] {
  return faults.flatMap(({ path: [first, ...path], words }) => (first === name ? [{ path, words }] : []));
}

/** Returns all that is wrong in one text. */
export const wordsOf = (faults: readonly FormFault[]): string => faults.map(({ words }) => words).join('; ');

/** Returns the id of the control at a path. */
export const idAt = (path: Path): string => `at-${path.map(String).join('-')}`;

/** Returns a path in words: `features[3].min`. */
export const placeWords = (path: Path): string =>
  path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');

/**
 * Moves the focus to the control at a path, or to the nearest one around it.
 * @returns whether there is one
 */
export function goTo(path: Path): boolean {
  for (let length = path.length; length > 1; length -= 1) {
    const control = document.getElementById(idAt(path.slice(0, length)));
    if (control === null) continue;
    control.focus();
    return true;
  }
  return false;
}
