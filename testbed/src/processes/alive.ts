import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended, but that nobody has asked about, counts as gone (where /proc tells). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return process.platform !== 'linux'; // it has ended meanwhile
  }
}
