/** Where a setting comes from, and what is said when it is wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { CodedError } from '@eigenveil/platform';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { addSettings, createProgram } from '../src/index.ts';

const SETTINGS = {
  port: { schema: z.int().min(1).max(65_535), description: 'port', placeholder: 'NUMBER', default: 8443 },
  dataDir: { schema: z.string().min(1), description: 'directory', placeholder: 'DIR', default: './data' },
  allowSimulated: { schema: z.boolean(), description: 'not private', default: false },
  trusted: { schema: z.array(z.string()).optional(), description: 'ids', placeholder: 'LIST' },
} as const;

afterEach(() => vi.unstubAllEnvs());

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'eigenveil-command-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

interface Given {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: unknown;
}

/** Runs `serve` with the given flags, environment and configuration file, and returns what it is configured with. */
async function configure({ flags = [], environment = {}, file }: Given) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(`EIGENVEIL_TEST_${name}`, value);
  const config: string[] = [];
  if (file !== undefined) {
    const path = `${await temporaryDirectory()}/config.json`;
    await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file));
    config.push('--config', path);
  }
  const program = createProgram({ name: 'eigenveil-test', version: '1.0.0', description: 'Test.' });
  const serve = program.command('serve');
  const read = addSettings(serve, 'EIGENVEIL_TEST', SETTINGS);
  const count = { schema: z.int(), description: 'how many', placeholder: 'NUMBER' };
  addSettings(program.command('token').command('make'), 'EIGENVEIL_TEST', { count });
  let configuration: ReturnType<typeof read> | undefined;
  serve.action(() => {
    configuration = read();
  });
  await program.parseAsync(['serve', ...config, ...flags], { from: 'user' });
  return configuration;
}

describe('a setting', () => {
  test.each<[string, Given, number]>([
    ['its default', {}, 8443],
    ['the file', { file: { port: 1 } }, 1],
    ['the environment before the file', { environment: { PORT: '2' }, file: { port: 1 } }, 2],
    ['the flag before all', { flags: ['--port', '3'], environment: { PORT: '2' }, file: { port: 1 } }, 3],
    ['the flag even when it equals the default', { flags: ['--port', '8443'], file: { port: 1 } }, 8443],
  ])('comes from %s', async (_, given, port) => {
    expect(await configure(given)).toStrictEqual({
      port,
      dataDir: './data',
      allowSimulated: false,
      trusted: undefined,
    });
  });

  test.each<[string, Given, boolean]>([
    ['on by its flag', { flags: ['--allow-simulated'] }, true],
    [
      'off by its flag over a file',
      { flags: ['--no-allow-simulated'], file: { allowSimulated: true } },
      false,
    ],
    ['on by its variable', { environment: { ALLOW_SIMULATED: 'true' } }, true],
    ['off by a variable that says false', { environment: { ALLOW_SIMULATED: 'false' } }, false],
    [
      'off by a variable over a file',
      { environment: { ALLOW_SIMULATED: 'false' }, file: { allowSimulated: true } },
      false,
    ],
    [
      'on by its flag over a variable',
      { flags: ['--allow-simulated'], environment: { ALLOW_SIMULATED: 'false' } },
      true,
    ],
    ['on by a file', { file: { allowSimulated: true } }, true],
  ])('that is a switch is %s', async (_, given, expected) => {
    expect(await configure(given)).toMatchObject({ allowSimulated: expected });
  });

  test('that is a switch does not take the argument after it', async () => {
    const program = createProgram({ name: 'x', version: '1', description: 'x' }).argument('<task>');
    const read = addSettings(program, 'X', {
      strict: { schema: z.boolean(), description: 'x', default: false },
    });
    program.parse(['--strict', 't1'], { from: 'user' });
    expect([program.args, read()]).toStrictEqual([['t1'], { strict: true }]);
  });

  test('can be a list, and text that looks like a number stays text', async () => {
    const configuration = await configure({
      flags: ['--trusted', '["a","b"]'],
      environment: { DATA_DIR: '2026' },
    });
    expect(configuration).toMatchObject({ trusted: ['a', 'b'], dataDir: '2026' });
  });

  test('of a list may be given with commas between, and strings that hold commas as JSON', async () => {
    expect(await configure({ flags: ['--trusted', 'a,b c,7'] })).toMatchObject({
      trusted: ['a', 'b c', '7'],
    });
    expect(await configure({ environment: { TRUSTED: 'a,b' } })).toMatchObject({ trusted: ['a', 'b'] });
    expect(await configure({ flags: ['--trusted', '["a,b"]'] })).toMatchObject({ trusted: ['a,b'] });
  });

  test('of a list may be given as its only element', async () => {
    expect(await configure({ flags: ['--trusted', 'a'] })).toMatchObject({ trusted: ['a'] });
    expect(await configure({ flags: ['--trusted', '7'] })).toMatchObject({ trusted: ['7'] });
    expect(await configure({ file: { trusted: 'a' } })).toMatchObject({ trusted: ['a'] });
  });

  test('of a list may be given by several flags, each of one or of some', async () => {
    expect(
      await configure({ flags: ['--trusted', 'a', '--trusted', 'b,c', '--trusted', '["d,e"]'] }),
    ).toMatchObject({
      trusted: ['a', 'b', 'c', 'd,e'],
    });
    // They take the place of what the environment says.
    const both = { flags: ['--trusted', 'a', '--trusted', 'b'], environment: { TRUSTED: 'c' } };
    expect(await configure(both)).toMatchObject({ trusted: ['a', 'b'] });
    // What is no list is what was given last.
    expect(await configure({ flags: ['--port', '7', '--port', '8'] })).toMatchObject({ port: 8 });
  });

  test('of another command may be in the file, which all commands share', async () => {
    expect(await configure({ file: { port: 7, count: 3 } })).toMatchObject({ port: 7 });
    expect(await configure({ file: { port: 7, count: 3 } })).not.toHaveProperty('count');
  });

  test('is read from the file that the environment names', async () => {
    const path = `${await temporaryDirectory()}/config.json`;
    await writeFile(path, '{"port": 7}');
    expect(await configure({ environment: { CONFIG: path } })).toMatchObject({ port: 7 });
  });
});

describe('a wrong setting', () => {
  test.each<[string, Given, RegExp]>([
    ['in a flag', { flags: ['--port', 'x'] }, /^"--port": expected a number, got a text$/],
    ['out of range', { flags: ['--port', '0'] }, /^"--port": expected at least 1$/],
    ['in the environment', { environment: { PORT: '70000' } }, /^"EIGENVEIL_TEST_PORT": expected at most/],
    ['empty in the environment', { environment: { PORT: '' } }, /^"EIGENVEIL_TEST_PORT": expected a number/],
    [
      'that is a switch',
      { environment: { ALLOW_SIMULATED: 'yes' } },
      /^"EIGENVEIL_TEST_ALLOW_SIMULATED": expected true or false/,
    ],
    ['in the file', { file: { port: '8443' } }, /^"port in the configuration file": expected a number/],
    [
      'unknown to us',
      { file: { prot: 1, port: 1 } },
      /unknown settings: prot; known are port, dataDir, allowSimulated/,
    ],
    [
      'in a file that is no JSON',
      { file: '{port: 1}' },
      /expected JSON in .*, line \d+, column \d+: expected a name in double quotes/,
    ],
    ['in a file that is no object', { file: '[1]' }, /expected a JSON object$/],
    [
      'in a file that is not there',
      { flags: ['--config', '/nonexistent.json'] },
      /expected a readable file, got \/non/,
    ],
  ])('%s is named', async (_, given, message) => {
    await expect(configure(given)).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: expect.stringMatching(message),
    });
  });

  test('is not repeated from a file that is no JSON, as a log of the error and its causes would tell it', async () => {
    const error = await configure({ file: '{"port": correct-horse-battery}' }).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9 })).not.toContain('correct');
  });

  test('that is missing is named with all the ways to give it', () => {
    const program = createProgram({ name: 'x', version: '1', description: 'x' });
    const read = addSettings(program, 'X', {
      cspUrl: { schema: z.url(), description: 'CSP', placeholder: 'URL' },
    });
    program.parse([], { from: 'user' });
    expect(read).toThrow(
      /^"cspUrl" is missing: give --csp-url, X_CSP_URL or "cspUrl" in the configuration file$/,
    );
  });

  test('is told with all the others that are wrong', async () => {
    const error = await configure({ flags: ['--port', 'many'], file: { allowSimulated: 7 } }).catch(
      (it: unknown) => it,
    );
    expect((error as CodedError).faults.map(({ path, words }) => `${path.join('.')}: ${words}`)).toEqual([
      expect.stringMatching(/^port: "--port": expected a number, got a text/),
      expect.stringMatching(
        /^allowSimulated: "allowSimulated in the configuration file": expected true or false/,
      ),
    ]);
    expect((error as CodedError).message).toMatch(/"--port".*; "allowSimulated in the configuration file"/);
  });
});

test('a file of settings may have comments, and its texts may have the marks of comments', async () => {
  const file = '// first\n{ "dataDir": "https://csp/*x*/", /* two\nlines */ "port": 1 // last\n}';
  await expect(configure({ file })).resolves.toMatchObject({ dataDir: 'https://csp/*x*/', port: 1 });
  const broken = '{ // one\n  /* two */ "port" 1 }';
  await expect(configure({ file: broken })).rejects.toThrow(/line 2, column 20: expected ":"/);
});

test('--help shows flag, variable and default of each setting', () => {
  const program = createProgram({ name: 'x', version: '1', description: 'x' });
  addSettings(program, 'EIGENVEIL_TEST', SETTINGS);
  const help = program.helpInformation().replaceAll(/\s+/g, ' ');
  expect(help).toContain('--port <NUMBER> port (default: 8443, env: EIGENVEIL_TEST_PORT)');
  expect(help).toContain(
    '--allow-simulated not private (default: false, env: EIGENVEIL_TEST_ALLOW_SIMULATED)',
  );
  expect(help).toContain('--config <FILE> JSON file with settings (env: EIGENVEIL_TEST_CONFIG)');
});
