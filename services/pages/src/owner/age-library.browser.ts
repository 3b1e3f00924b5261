/** Loads the library age-encryption in browsers: a script that comes when it is first needed. */
import { type LaterScript, later } from '../common/later.ts';

/** The script with the library, which the build inserts here. */
declare const AGE_SCRIPT: LaterScript;

const load = later<typeof import('./age.ts')>(() => AGE_SCRIPT, 'The part of the page that seals backups');

/** A passphrase takes the page's only thread for a second or more: this many milliseconds let it show that it is busy. */
const PAINT = 50;

export async function ageLibrary(): ReturnType<typeof load> {
  const library = await load();
  await new Promise((resolve) => setTimeout(resolve, PAINT));
  return library;
}
