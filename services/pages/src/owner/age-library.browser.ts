/** Loads the library age-encryption in browsers: a script that comes when it is first needed. */
import { type LaterScript, later } from '../common/later.ts';

/** The script with the library, which the build inserts here. */
declare const AGE_SCRIPT: LaterScript;

const load = later<typeof import('./age.ts')>(() => AGE_SCRIPT, 'The part of the page that seals backups');

/**
 * The longest time in milliseconds to wait for a frame: a browser draws none of a page that nobody sees.
 */
const LONGEST_FRAME = 1000;

/**
 * Loads the library, and resolves once the page has been drawn: a passphrase takes its only thread for a
 * second or more.
 */
export async function ageLibrary(): ReturnType<typeof load> {
  const library = await load();
  await drawn();
  return library;
}

function drawn(): Promise<void> {
  return new Promise((resolve) => {
    // A frame is drawn after its callbacks have run, and before the next turn.
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, LONGEST_FRAME);
  });
}
