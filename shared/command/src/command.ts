/**
 * The behaviour that every command line has: --json, one clear line for an error, exit codes that mean
 * something, an orderly stop.
 */
import { CodedError, type CodeInfo, knownFileReason } from '@eigenveil/platform';
import { explainIssues } from '@eigenveil/wire/explain';
import { printable, printableJson, printableLines } from '@eigenveil/wire/printable';
import { Command, CommanderError, type HelpContext } from 'commander';
import { z } from 'zod';

export const EXIT = {
  done: 0,
  /** A fault of ours: please report it. */
  internal: 1,
  /** The command line, the configuration or a file that it names is wrong. */
  usage: 2,
  /** A policy, ours or the server's, says no; asking again changes nothing. */
  refused: 3,
  /** The other side cannot be reached, is busy or does not answer in time: ask again later. */
  unavailable: 4,
  /** It is too early, or in conflict with what was done before. */
  conflict: 5,
} as const;
/**
 * A second signal within this time is an echo: npm passes on to its command what the terminal has sent to
 * both, and nobody who means a second signal is that fast.
 */
const ECHO_MILLISECONDS = 1000;
/** The length leaves room for a list of all settings. */
const LONGEST_MESSAGE = 4000;
/** The pace of lines about long work, where no terminal shows a bar, or while nothing is new. */
export const LINE_MILLISECONDS = 5000;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * A program with --json and --version; subcommands added to it inherit how errors are reported.
 * @example
 * import { createProgram, printResult, runCommand } from '@eigenveil/command';
 *
 * const program = createProgram({ name: 'greet', version: '1.0.0', description: 'Greets.' });
 * program.action(() => printResult(program, { json: { greeting: 'hello' }, text: 'hello' }));
 * await runCommand(program, process.argv);
 */
export function createProgram(options: {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}): Command {
  return new Program(options.name)
    .description(options.description)
    .version(options.version)
    .option('--json', 'print results and errors as JSON')
    .exitOverride()
    .configureOutput({ outputError: () => {} }); // runCommand reports errors, in one form for all
}

/** A program, or a group of its commands, that is given without a command says so like any other error. */
class Program extends Command {
  override createCommand(name?: string): Command {
    return new Program(name);
  }

  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context === 'function') return super.help(context);
    if (context?.error !== true) return super.help(context);
    const names = this.commands.map((it) => it.name()).join(', ');
    return this.error(`expected a command, one of ${names}: see --help`);
  }
}

/** Prints a result on standard output: one JSON object with --json, otherwise the lines of text. */
export function printResult(
  command: Command,
  result: { readonly json: unknown; readonly text: string },
): void {
  const line = isJson(command) ? printableJson(result.json) : printableLines(result.text);
  (command.configureOutput().writeOut ?? writeOut)(`${line}\n`);
}

/** Returns whether --json was given; then standard error has only problems. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals().json === true;
}

/** Prints a line for people on standard error, beside the result. */
export function printNote(command: Command, line: string): void {
  (command.configureOutput().writeErr ?? writeErr)(`${printable(line, LONGEST_MESSAGE)}\n`);
}

/**
 * Returns a function that says, whenever it is called, whether this number of milliseconds has passed since
 * it was made or last said so.
 */
export function every(milliseconds: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}

/**
 * Parses `argv` (as process.argv) and runs the command. An error becomes one line on standard error, `name:
 * ERR_CODE: message`, or with --json problem details {type, code, status?, detail}; its exit code is set on
 * the process, which ends by itself once its work has.
 */
export async function runCommand(program: Command, argv: readonly string[]): Promise<ExitCode> {
  if (!process.stdout.listeners('error').includes(onUnread)) process.stdout.on('error', onUnread);
  const exitCode = await program.parseAsync(argv).then(
    () => EXIT.done,
    (error: unknown) => reportError(program, argv, error),
  );
  process.exitCode = exitCode;
  return exitCode;
}

/**
 * Ignores that a reader of the output stops early, as `head` does; the command goes on with its other work.
 */
function onUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * Calls `close` once on the first of the signals; one that comes more than a second later ends the process at once, for an operator who
 * does not want to wait. Returns a function that takes the handlers away again.
 * @example
 * import { onShutdown } from '@eigenveil/command';
 *
 * onShutdown(['SIGINT', 'SIGTERM'], () => server.close());
 */
export function onShutdown(signals: readonly NodeJS.Signals[], close: () => Promise<void>): () => void {
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  let closing = false;
  const onSignal = (): void => {
    if (closing) return;
    closing = true;
    setTimeout(stop, ECHO_MILLISECONDS).unref(); // which brings back the default action for the next signal
    close().catch((error: unknown) => {
      process.stderr.write(`ERR_INTERNAL: shutting down failed: ${messageOf(error)}\n`);
      process.exitCode = EXIT.internal;
    });
  };
  for (const signal of signals) process.on(signal, onSignal);
  return stop;
}

/**
 * Returns a signal that the first Ctrl-C or SIGTERM aborts, so that work ends in order. Once it is disposed of, both end the process again.
 * @example
 * import { untilInterrupted } from '@eigenveil/command';
 *
 * using interrupted = untilInterrupted();
 * const answer = await fetch('https://example.org', { signal: interrupted.signal });
 */
export function untilInterrupted(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = onShutdown(['SIGINT', 'SIGTERM'], async () => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: stop };
}

/**
 * Has `tidy` called before Ctrl-C or SIGTERM ends the process, which then ends as it does without. Once the answer is disposed of, nothing is
 * called any more.
 * @example
 * import { rmSync } from 'node:fs';
 * import { beforeSignal } from '@eigenveil/command';
 *
 * using tidy = beforeSignal(() => rmSync('draft.csv', { force: true }));
 */
export function beforeSignal(tidy: () => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    stop();
    tidy();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { [Symbol.dispose]: stop };
}

/**
 * Returns what has `close` as something for `await using`. Classes that also run in browsers cannot have it
 * themselves: not every browser knows `Symbol.asyncDispose`.
 */
export function closing<Closed extends { close(): void | Promise<void> }>(
  closed: Closed,
): Closed & AsyncDisposable {
  return Object.assign(closed, { [Symbol.asyncDispose]: async () => closed.close() });
}

function reportError(program: Command, argv: readonly string[], error: unknown): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done; // --help and --version
  const { code, message, status, exit } = toldOf(error);
  // The options may not have been parsed, since the error may come from parsing them.
  const line = argv.includes('--json')
    ? printableJson({
        type: typeOf(code),
        code,
        ...(status === undefined ? {} : { status }),
        detail: message,
      })
    : `${program.name()}: ${code}: ${message}`;
  (program.configureOutput().writeErr ?? writeErr)(`${line}\n`);
  return exit === undefined ? exitCodeOf(status) : EXIT[exit];
}

/** Returns the exit code for the HTTP status that the error has or would have. */
function exitCodeOf(status: number | undefined): ExitCode {
  switch (status) {
    case undefined:
    case 500:
      return EXIT.internal;
    case 409:
      return EXIT.conflict;
    case 408:
    case 429:
    case 503:
    case 504:
      return EXIT.unavailable;
    default:
      return EXIT.refused;
  }
}

/** Returns the type that the services give to the same code. */
function typeOf(code: string): string {
  return `urn:eigenveil:error:${code.replace(/^ERR_/, '').toLowerCase().replaceAll('_', '-')}`;
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly exit?: CodeInfo['exit'];
}

/**
 * Returns what is printed about an error. An error of ours is printed as it is. An error of the system or of
 * a library is printed without its code: a file that cannot be used is for the user to correct, and
 * everything else is a fault of ours.
 */
function toldOf(error: unknown): Told {
  if (error instanceof CommanderError) return { code: 'ERR_USAGE', message: messageOf(error), exit: 'usage' };
  if (error instanceof CodedError) return { ...error.info, message: messageOf(error) };
  const reason = knownFileReason(error);
  if (reason !== undefined) {
    const path = error instanceof Error && 'path' in error ? `"${String(error.path)}"` : 'a file';
    const message = printable(`${path} cannot be used: ${reason}`, LONGEST_MESSAGE);
    return { code: 'ERR_FILE', message, exit: 'usage' };
  }
  const message = error instanceof z.ZodError ? explainIssues(error, 'a value') : messageOf(error);
  return { code: 'ERR_INTERNAL', message: `a fault of this program, please report it: ${message}` };
}

/** Returns the message on one line, whatever it holds, without the prefixes of commander and OpenSSL. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown failure';
  return printable(message.replace(/^error:(?:[\dA-F]+:| )/, ''), LONGEST_MESSAGE);
}

function writeOut(text: string): void {
  process.stdout.write(text);
}

function writeErr(text: string): void {
  process.stderr.write(text);
}
