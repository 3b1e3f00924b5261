/** Command lines: what they print, how they end, and how they stop. */
import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { EXIT } from '../src/command.ts';
import {
  asUsage,
  COMMAND_CODES,
  closing,
  createProgram,
  onShutdown,
  printResult,
  runCommand,
  untilInterrupted,
} from '../src/index.ts';

afterEach(() => {
  process.exitCode = undefined;
});

/** Runs a program whose `task` command fails with `error`, or prints a result, and collects its output. */
async function run(
  args: readonly string[],
  error?: unknown,
  result = { json: { id: 't1', owners: 3 } as unknown, text: 'task t1 has 3 owners' },
) {
  const output = { out: '', err: '' };
  const program = createProgram({ name: 'eigenveil-test', version: '1.2.3', description: 'Test.' });
  program.configureOutput({
    writeOut: (text) => {
      output.out += text;
    },
    writeErr: (text) => {
      output.err += text;
    },
  });
  const task = program.command('task').argument('[id]');
  task.action(() => {
    if (error !== undefined) throw error;
    printResult(task, result);
  });
  const exitCode = await runCommand(program, ['node', 'eigenveil-test', ...args]);
  expect(process.exitCode).toBe(exitCode);
  return { exitCode, ...output };
}

const FAULT = 'ERR_INTERNAL: a fault of this program, please report it';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('a command', () => {
  test('goes on where nobody reads its output to the end', async () => {
    const source = `
      import { createProgram, printResult, runCommand } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
      import { setTimeout } from 'node:timers/promises';
      const program = createProgram({ name: 'long', version: '1.0.0', description: 'Long.' });
      program.action(async () => {
        for (let i = 0; i < 3; i += 1) {
          await setTimeout(100);
          printResult(program, { json: {}, text: 'line\\n'.repeat(1e5) });
        }
        process.stderr.write('done');
      });
      console.log('ready');
      await runCommand(program, process.argv);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'close')).toStrictEqual([0, null]);
    expect(errors).toBe('done');
  });

  test('prints text, or one JSON object when asked to', async () => {
    expect(await run(['task'])).toStrictEqual({ exitCode: 0, out: 'task t1 has 3 owners\n', err: '' });
    const asJson = { exitCode: 0, out: '{"id":"t1","owners":3}\n', err: '' };
    expect(await run(['task', '--json'])).toStrictEqual(asJson);
    expect(await run(['--json', 'task'])).toStrictEqual(asJson);
  });

  test.each([
    ['a fault', new Error('boom'), 1, `${FAULT}: boom`],
    ['something that is no error', 'boom', 1, `${FAULT}: unknown failure`],
    ["a library's error", thrownBy(() => createPrivateKey('')), 1, `${FAULT}: DECODER routines::unsupported`],
    [
      'a value of another form',
      thrownBy(() => z.int().max(3).parse(4)),
      1,
      `${FAULT}: "a value": expected at most 3`,
    ],
    ['a folder', thrownBy(() => readFileSync('/')), 2, 'ERR_FILE: a file cannot be used: it is a folder'],
    [
      'a file that is not there',
      thrownBy(() => openSync('/none/x', 'r')),
      2,
      'ERR_FILE: "/none/x" cannot be used: no such file or directory',
    ],
    [
      'an archive that is cut off',
      thrownBy(() => gunzipSync(gzipSync('text').subarray(0, 15))),
      2,
      'ERR_FILE: a file cannot be used: its gzip data end too early, as if the file was cut off',
    ],
    [
      'what another package found',
      asUsage(new CodedError(CODES.ERR_TASK_INVALID, '"components" is wrong')),
      2,
      'ERR_TASK_INVALID: "components" is wrong',
    ],
    [
      'a wrong configuration',
      new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"port" is wrong'),
      2,
      'ERR_CONFIGURATION: "port" is wrong',
    ],
    [
      'an unsafe key file',
      new CodedError({ code: 'ERR_KEY_FILE', title: 'A file of keys', exit: 'usage' }, 'mode'),
      2,
      'ERR_KEY_FILE: mode',
    ],
    [
      'an error of its own',
      new CodedError({ code: 'ERR_ROW', title: 'A row', exit: 'usage' }, 'row 7\n  column "age"'),
      2,
      'ERR_ROW: row 7 column "age"',
    ],
    ['a policy', new CodedError(CODES.ERR_POLICY, 'no'), 3, 'ERR_POLICY: no'],
    ['a refusal', new CodedError(CODES.ERR_TASK_UNKNOWN, 'no'), 3, 'ERR_TASK_UNKNOWN: no'],
    ['a false CSP', new CodedError(CODES.ERR_CSP_IDENTITY, 'no'), 3, 'ERR_CSP_IDENTITY: no'],
    [
      'a peer that is down',
      new CodedError(CODES.ERR_PEER_UNREACHABLE, 'down'),
      4,
      'ERR_PEER_UNREACHABLE: down',
    ],
    ['a peer that is slow', new CodedError(CODES.ERR_PEER_TIMEOUT, 'slow'), 4, 'ERR_PEER_TIMEOUT: slow'],
    ['a limit', new CodedError(CODES.ERR_RATE_LIMITED, 'wait'), 4, 'ERR_RATE_LIMITED: wait'],
    ['no result yet', new CodedError(CODES.ERR_NOT_READY, 'wait'), 5, 'ERR_NOT_READY: wait'],
    ['a conflict', new CodedError(CODES.ERR_CONTRIBUTION_CONFLICT, 'no'), 5, 'ERR_CONTRIBUTION_CONFLICT: no'],
    ['a failed peer', new CodedError(CODES.ERR_INTERNAL, 'sorry'), 1, 'ERR_INTERNAL: sorry'],
  ])('that meets %s says so in one line', async (_, error, exitCode, line) => {
    expect(await run(['task'], error)).toStrictEqual({ exitCode, out: '', err: `eigenveil-test: ${line}\n` });
  });

  test('shows nothing that a terminal would act on, and no megabytes', async () => {
    const hostile = 'a\u001b[2J\u009b31m\u202eb';
    const shown = 'a�[2J�31m�b';
    const error = new CodedError(CODES.ERR_NOT_READY, hostile);
    expect((await run(['task'], error)).err).toBe(`eigenveil-test: ERR_NOT_READY: ${shown}\n`);
    expect(JSON.parse((await run(['task', '--json'], error)).err)).toMatchObject({ detail: shown });
    expect((await run(['task'], new Error('x'.repeat(1_000_000)))).err.length).toBeLessThan(5000);

    const result = { json: { hostile }, text: `first\n\t${hostile}` };
    expect((await run(['task'], undefined, result)).out).toBe(`first\n\t${shown}\n`);
    const { out } = await run(['task', '--json'], undefined, result);
    expect(out).toMatch(/^[ -~]*\n$/);
    expect(JSON.parse(out)).toEqual({ hostile });
  });

  test('reports problem details with --json', async () => {
    const { exitCode, out, err } = await run(
      ['task', '--json'],
      new CodedError(CODES.ERR_TASK_CLOSED, 'too late'),
    );
    expect([exitCode, out]).toStrictEqual([EXIT.conflict, '']);
    expect(JSON.parse(err)).toStrictEqual({
      type: 'urn:eigenveil:error:task-closed',
      code: 'ERR_TASK_CLOSED',
      status: 409,
      detail: 'too late',
    });
  });

  test.each([
    [['task', '--colour'], "ERR_USAGE: unknown option '--colour'"],
    [['tusk'], "ERR_USAGE: unknown command 'tusk' (Did you mean task?)"],
    [['task', 'a', 'b'], /ERR_USAGE: too many arguments/],
    [[], 'ERR_USAGE: expected a command, one of task: see --help'],
  ])('that is called as %j is told what is wrong', async (args, message) => {
    const { exitCode, out, err } = await run(args);
    expect([exitCode, out]).toStrictEqual([EXIT.usage, '']);
    if (typeof message === 'string') expect(err).toBe(`eigenveil-test: ${message}\n`);
    else expect(err).toMatch(message);
    expect(JSON.parse((await run([...args, '--json'])).err)).toMatchObject({ code: 'ERR_USAGE' });
  });

  test('shows help and version and is done', async () => {
    expect(await run(['--version'])).toStrictEqual({ exitCode: 0, out: '1.2.3\n', err: '' });
    const help = await run(['task', '--help']);
    expect(help.exitCode).toBe(0);
    expect(help.out).toContain('Usage: eigenveil-test task');
  });
});

describe('a signal', () => {
  /** A process that stops when `closing` is over. */
  async function start(closing: string) {
    const source = `
      import { onShutdown } from ${JSON.stringify(new URL('../src/command.ts', import.meta.url).href)};
      const alive = setInterval(() => {}, 1000);
      onShutdown(['SIGTERM', 'SIGINT'], async () => { console.log('closing'); ${closing} });
      console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    await once(child.stdout, 'data');
    return { child, errors };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes and lets the process end', async (signal) => {
    const { child } = await start('clearInterval(alive);');
    child.kill(signal);
    expect(await once(child, 'exit')).toStrictEqual([0, null]);
  });

  test('that comes again, later than npm passes it on, ends the process', async () => {
    const { child } = await start('');
    const again = setInterval(() => child.kill('SIGTERM'), 50);
    expect(await once(child, 'exit')).toStrictEqual([null, 'SIGTERM']);
    clearInterval(again);
  });

  test('that npm passes on, too, closes once', () => {
    vi.useFakeTimers();
    try {
      const close = vi.fn(async () => {});
      onShutdown(['SIGUSR2'], close);
      process.emit('SIGUSR2');
      vi.advanceTimersByTime(900);
      process.emit('SIGUSR2');
      expect(close).toHaveBeenCalledOnce();
      expect(process.listenerCount('SIGUSR2')).toBe(1);
      vi.advanceTimersByTime(200);
      expect(process.listenerCount('SIGUSR2')).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("aborts what runs until it is interrupted, and is nobody else's afterwards", () => {
    const before = process.listenerCount('SIGTERM');
    {
      using interrupted = untilInterrupted();
      expect(interrupted.signal.aborted).toBe(false);
      process.emit('SIGTERM');
      expect(interrupted.signal.aborted).toBe(true);
    }
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  test('whose closing fails is reported', async () => {
    const { child, errors } = await start("clearInterval(alive); throw new Error('disk full');");
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toStrictEqual([EXIT.internal, null]);
    expect(errors.join('')).toBe('ERR_INTERNAL: shutting down failed: disk full\n');
  });
});

test('what a command has opened is closed, also when its work fails', async () => {
  const close = vi.fn(async () => {});
  const work = async () => {
    await using opened = closing({ close, work: () => Promise.reject(new Error('lost')) });
    await opened.work();
  };
  await expect(work()).rejects.toThrow('lost');
  expect(close).toHaveBeenCalledOnce();
});
