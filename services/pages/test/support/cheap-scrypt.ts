/** Files under passphrases at a small cost: a guess of theirs takes a second, and the tests make dozens. */
import { Encrypter } from 'age-encryption';
import { vi } from 'vitest';

/** Has the files that are sealed from now on cost little. @returns what ends it */
export function cheapScrypt(): () => void {
  const set = Encrypter.prototype.setScryptWorkFactor;
  const cheap = vi.spyOn(Encrypter.prototype, 'setScryptWorkFactor');
  cheap.mockImplementation(function (this: Encrypter) {
    set.call(this, 6);
  });
  return () => cheap.mockRestore();
}
