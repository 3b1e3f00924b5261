/** Which lines of a repository have changed since a commit, and which planted faults that concerns, the nearest first. */
import { execFileSync } from 'node:child_process';
import { type Fault, FaultError, type Planted, plant, type Source } from './fault.ts';

/** The changed lines of each changed file, both ends included and counted from 1 as the file is now. */
type Changes = ReadonlyMap<string, readonly (readonly [first: number, last: number])[]>;

const WHOLE_FILE = [[1, Number.MAX_SAFE_INTEGER]] as const;

/** Returns the newest commit that is older than a day, or the first commit of all where none is. */
export function commitOfADayAgo(root: string): string {
  const old = git(root, 'rev-list', '-1', '--before=1 day ago', 'HEAD').trim();
  return old === '' ? git(root, 'rev-list', '--max-parents=0', 'HEAD').trim().split('\n')[0]! : old;
}

/**
 * Returns what differs between a commit and the files as they are now, files that git does not track yet included.
 * @throws FaultError when `since` names no commit
 */
export function changesSince(root: string, since: string): Changes {
  const changes = new Map<string, (readonly [number, number])[]>();
  let lines: (readonly [number, number])[] = [];
  for (const line of diffSince(root, since).split('\n')) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      lines = [];
      changes.set(file, lines);
    }
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first !== undefined) lines.push([Number(first), Number(first) + Math.max(Number(count), 1) - 1]);
  }
  for (const file of git(root, 'ls-files', '--others', '--exclude-standard').split('\n'))
    if (file !== '') changes.set(file, [...WHOLE_FILE]);
  return changes;
}

function diffSince(root: string, since: string): string {
  try {
    const commit = git(root, 'rev-parse', '--verify', '--quiet', `${since}^{commit}`).trim();
    return git(
      root,
      '-c',
      'core.quotePath=false',
      'diff',
      '--unified=0',
      '--no-renames',
      '--no-ext-diff',
      commit,
    );
  } catch (cause) {
    throw new FaultError(`"${since}" expected a commit of this repository`, { cause });
  }
}

/**
 * Returns the faults whose code or test file has changed: first those whose code has, by how many lines lie between it and the nearest
 * change, then those of whom only the test file has. A fault that cannot be planted comes first of all, since it is to be renewed.
 */
export function concerned(faults: readonly Fault[], sources: readonly Source[], changes: Changes): Fault[] {
  return faults
    .map((fault) => ({ fault, distance: distanceOf(fault, sources, changes) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => a.distance! - b.distance!)
    .map(({ fault }) => fault);
}

function distanceOf(fault: Fault, sources: readonly Source[], changes: Changes): number | undefined {
  let planted: Planted;
  try {
    planted = plant(fault, sources);
  } catch (error) {
    if (error instanceof FaultError) return -1;
    throw error;
  }
  const lines = changes.get(planted.path);
  if (lines !== undefined) {
    const between = lines.map(([first, last]) =>
      Math.max(first - planted.lastLine, planted.firstLine - last, 0),
    );
    return Math.min(...between);
  }
  return changes.has(fault.test) ? Number.MAX_SAFE_INTEGER : undefined;
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30 });
}
