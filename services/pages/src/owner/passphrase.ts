/** Passphrases of backups: the page generates one, or judges the length of one that somebody types. */
import { randomBytes } from '@eigenveil/platform';

/** Keyboards write the same letter in several ways, and copying adds blanks at the ends. */
export const normalPassphrase = (passphrase: string): string => passphrase.normalize('NFC').trim();

/**
 * Whoever has the file guesses as fast as machines allow, so that only the passphrase's length stands against
 * it. A list of common words would tell more than the length, and be larger than the page.
 */
const LEAST = 20;

/** The rule for passphrases that somebody types, in words. */
export const PASSPHRASE_RULE = `At least ${LEAST} characters, such as six words that do not belong together: whoever finds the file can guess without end. A character that only continues a run (aa, abc, 321) does not count.`;

/** Returns the rule that a passphrase breaks, or null. */
export function passphraseProblem(passphrase: string): string | null {
  const characters = [...normalPassphrase(passphrase)];
  const counted = characters.filter((it, i) => {
    const step = i === 0 ? 2 : it.codePointAt(0)! - characters[i - 1]!.codePointAt(0)!;
    return Math.abs(step) > 1;
  });
  if (counted.length >= LEAST) return null;
  return `The passphrase is too short: at least ${LEAST} characters are needed, without those that only continue a run such as aaa, abc or 321`;
}

/** Letters and digits that people do not confuse: 32 of them, so that each has 5 random bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * Returns a passphrase that nobody can guess: 125 random bits, in five groups. One that the rule refuses by
 * accident, one in 100,000, is generated again.
 */
export function generatePassphrase(): string {
  const letters = [...randomBytes(25)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  const groups = Array.from({ length: 5 }, (_, i) => letters.slice(5 * i, 5 * i + 5).join(''));
  const passphrase = groups.join('-');
  return passphraseProblem(passphrase) === null ? passphrase : generatePassphrase();
}
