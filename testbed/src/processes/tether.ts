/** Ties a child process to the one that starts it: it dies with it, also when that is killed and can say nothing any more. */
import { spawnSync } from 'node:child_process';

const TETHER = ['setpriv', '--pdeathsig', 'KILL', '--'] as const;
let canTie: boolean | undefined;

/**
 * The words that run a command so that the kernel kills it when its parent ends, in whatever way; signals and process id are the
 * command's own. What it starts itself is not tied: a command that runs another is to be given the tethered words of that.
 * Leans on setpriv (util-linux, Linux); without it, the words as they are.
 */
export function tethered(...words: readonly [string, ...string[]]): [string, ...string[]] {
  const [setpriv, ...options] = TETHER;
  canTie ??= spawnSync(setpriv, [...options, 'true']).status === 0;
  return canTie ? [...TETHER, ...words] : [...words];
}
