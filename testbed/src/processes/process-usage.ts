/** What a running process has used so far, as Linux tells in /proc. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface Usage {
  /** The largest resident set since the process started: VmHWM of /proc/PID/status. */
  readonly peakMemoryBytes: number;
  /** Of all threads, in user mode and in the kernel: utime and stime of /proc/PID/stat. */
  readonly cpuMilliseconds: number;
}

/** USER_HZ is 100 on every architecture that Node.js runs on. */
const MILLISECONDS_PER_TICK = 10;
/** After the name of the program, which may hold spaces and parentheses, but ends at the last of these. */
const PARENT_AFTER_NAME = 1;
const UTIME_AFTER_NAME = 11;

export function canReadUsage(): boolean {
  return existsSync('/proc/self/status') && existsSync('/proc/self/stat');
}

export async function usageOf(pid: number): Promise<Usage> {
  const [status, stat] = await Promise.all(
    ['status', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  );
  return { peakMemoryBytes: peakOf(status!), cpuMilliseconds: cpuOf(stat!) };
}

/** The resident set at this moment, in bytes. */
export async function residentBytesOf(pid: number): Promise<number> {
  return sizeIn(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** @throws Error when /proc/PID/status says nothing of the peak */
export function peakOf(status: string): number {
  return sizeIn(status, 'VmHWM');
}

function sizeIn(status: string, name: string): number {
  const [, kibibytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status) ?? [];
  if (kibibytes === undefined) throw new Error(`/proc/PID/status expected with ${name}`);
  return Number(kibibytes) * 1024;
}

export function cpuOf(stat: string): number {
  const fields = fieldsAfterName(stat);
  const [user, system] = [fields[UTIME_AFTER_NAME], fields[UTIME_AFTER_NAME + 1]].map(Number);
  return (user! + system!) * MILLISECONDS_PER_TICK;
}

/** The process that has started this one. */
export function parentOf(stat: string): number {
  return Number(fieldsAfterName(stat)[PARENT_AFTER_NAME]);
}

function fieldsAfterName(stat: string): string[] {
  return stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
}
