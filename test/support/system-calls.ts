/**
 * What a service asks of the operating system, as strace tells it, and whether it kept the order of a durable answer: what
 * the answer vouches for is written to the database's log, the log is synced, and only then does the answer leave.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const READS = ['read', 'readv', 'recvfrom', 'recvmsg'];
const WRITES = ['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'sendto', 'sendmsg'];
const SYNCS = ['fdatasync', 'fsync'];
/** Longer than any one read or write of a service. */
const LONGEST_STRING = 2 ** 20;

/**
 * The command under which a service is traced into a file, and with it processes that run already. The service remains a
 * child of the process that starts it, and the tracer ends with the last process that it traces.
 */
export function straceTo(file: string, alsoTraced: readonly number[] = []): string[] {
  const calls = [...READS, ...WRITES, ...SYNCS].join(',');
  const attached = alsoTraced.flatMap((pid) => ['-p', String(pid)]);
  return [
    'strace',
    '-D',
    '-f',
    '--seccomp-bpf', // other calls of the service go by without a stop
    '-yy',
    '-s',
    String(LONGEST_STRING),
    '-e',
    `trace=${calls}`,
    '-o',
    file,
    ...attached,
  ];
}

/** Why nothing can be traced here, if so. Where it must be possible, as in CI, that is an error instead. */
export function straceProblem(): string | undefined {
  const { error, status, stderr } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  return unlessRequired(error?.message ?? (status === 0 ? undefined : stderr.trim()));
}

/** The same of a process that runs already and is not one's own child, which needs more rights. */
export async function attachProblem(): Promise<string | undefined> {
  const problem = straceProblem();
  if (problem !== undefined) return problem;
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  const tracer = spawn('strace', ['-o', '/dev/null', '-p', String(other.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const [said] = (await once(tracer.stderr, 'data')) as [Buffer];
    return unlessRequired(said.includes('attached') ? undefined : said.toString().trim());
  } finally {
    tracer.kill('SIGKILL');
    other.kill('SIGKILL');
  }
}

function unlessRequired(problem: string | undefined): string | undefined {
  if (problem !== undefined && process.env.EIGENVEIL_STRACE_REQUIRED === '1')
    throw new Error(`EIGENVEIL_STRACE_REQUIRED is set, but: ${problem}`);
  return problem;
}

export interface SystemCall {
  readonly name: string;
  /** The file or the connection that it is about. */
  readonly target: string;
  /** Its other arguments, as strace writes them. */
  readonly text: string;
  /** The numbers of the lines on which it began and ended; a call that began on a later line began later. */
  readonly began: number;
  readonly ended: number;
  /** -1 for an error. */
  readonly result: number;
}

/** The calls of a trace in the order in which they began. One that never ended has no number as its result. */
export function parseTrace(trace: string): SystemCall[] {
  const calls: SystemCall[] = [];
  /** Of each thread the call that another thread's line has cut in two. */
  const unfinished = new Map<string, { readonly began: number; readonly head: string }>();
  const add = (whole: string, began: number, ended: number) => {
    const match = /^(\w+)\(\d+<(.*?)>(?:\(deleted\))?([,)].*?)(?: = (-?\d+|\?)[^"]*)?$/.exec(whole);
    if (match === null) return;
    const [, name, target, text, result] = match;
    calls.push({ name: name!, target: target!, text: text!, began, ended, result: Number(result) });
  };
  for (const [line, content] of trace.split('\n').entries()) {
    const [, thread, rest] = /^(\d+) +(.*)$/.exec(content) ?? [];
    if (thread === undefined || rest === undefined) continue;
    const [, head] = /^(.*) <unfinished \.\.\.>$/.exec(rest) ?? [];
    const [, tail] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? [];
    const begun = unfinished.get(thread);
    if (head !== undefined) unfinished.set(thread, { began: line, head });
    else if (tail === undefined) add(rest, line, line);
    else if (begun !== undefined) {
      add(begun.head + tail, begun.began, line);
      unfinished.delete(thread);
    }
  }
  for (const { began, head } of unfinished.values()) add(head, began, Number.POSITIVE_INFINITY);
  return calls.sort((a, b) => a.began - b.began);
}

/** An answer that was the last on its connection, whose client kept it open and sent nothing more. */
export interface Answered {
  /** Another connection that is traced, to the database, may have the same port on the client's side. */
  readonly ports: { readonly service: number; readonly client: number };
  /** Texts that the log is to get before the answer leaves, any of them: one may lie across two writes. */
  readonly marks: readonly string[];
}

/** What was wrong with the order in which an answer became durable and left; undefined when it was right. */
export function lapse(
  calls: readonly SystemCall[],
  isLog: (file: string) => boolean,
  { ports, marks }: Answered,
): string | undefined {
  const connection = new RegExp(`^TCP.*:${ports.service}->.*:${ports.client}\\]$`);
  const onConnection = calls.filter(({ target }) => connection.test(target));
  const request = onConnection.findLast(({ name, result }) => READS.includes(name) && result > 0);
  if (request === undefined) return 'no request arrived';
  const answer = onConnection.find(({ name, began }) => WRITES.includes(name) && began > request.ended);
  if (answer === undefined) return 'no answer left';
  const written = calls.find(
    ({ name, target, text, began, result }) =>
      WRITES.includes(name) &&
      isLog(target) &&
      began > request.ended &&
      result > 0 &&
      marks.some((mark) => text.includes(mark)),
  );
  if (written === undefined) return 'the log never got what the answer vouches for';
  if (written.ended > answer.began) return 'the answer left before the log was written';
  const synced = calls.find(
    ({ name, target, began, ended, result }) =>
      SYNCS.includes(name) &&
      target === written.target &&
      result === 0 &&
      began > written.ended &&
      ended < answer.began,
  );
  return synced === undefined ? 'the answer left before the log was synced' : undefined;
}

export const isSqliteLog = (file: string): boolean => file.endsWith('.sqlite-wal');
export const isPostgresLog = (file: string): boolean => /\/pg_wal\/[0-9A-F]{24}$/.test(file);
