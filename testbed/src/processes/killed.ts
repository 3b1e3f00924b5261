/** Commands that are killed at a call of the operating system, each of which is where a machine could have stopped them. */
import { execFile } from 'node:child_process';
import { COMPILE_CACHE, program } from './programs.ts';
import { tethered } from './tether.ts';

/**
 * Runs a command line until its nth call of that name, at whose beginning it is killed; returns whether it was. Calls are counted by
 * thread; all work on files that Node does beside the main thread is put into one.
 */
export function runUntilKilled(
  name: 'csp' | 'user',
  args: readonly string[],
  call: 'fsync' | 'rename' | 'unlink' | 'pwrite64',
  nth: number,
): Promise<boolean> {
  const inject = [`--trace=${call}`, `--inject=${call}:signal=SIGKILL:when=${nth}`];
  const traced = ['-f', '-qq', '-o', '/dev/null', ...inject];
  const [command, ...words] = tethered(
    'strace',
    ...traced,
    ...tethered(process.execPath, program(name), ...args),
  );
  // Node writes its cache with renames, too, once the command is done, and no kill there may pass for one of the command. It neither
  // syncs it nor takes a file away; a kill in the midst of writing it leaves everything of the command as it is.
  const cache = call === 'rename' ? {} : { NODE_COMPILE_CACHE: COMPILE_CACHE };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, UV_THREADPOOL_SIZE: '1', ...cache };
  return new Promise((resolve) => {
    execFile(command, words, { env }, (error) => resolve(error?.signal === 'SIGKILL'));
  });
}
