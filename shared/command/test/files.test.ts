/** Folders that a command line names: made with those above them, or refused at once; and files of JSON, in the text that programs write. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { addSettings, checkCanWrite, createProgram, makeFolder, readJsonFile } from '../src/index.ts';

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'eigenveil-command-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test('a folder is made with those above it, for its owner alone, and may be there already', async () => {
  const folder = join(await temporaryDirectory(), 'deep', 'down');
  await makeFolder(folder);
  await makeFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, '..'))).mode & 0o777).toBe(0o700);
});

test('a folder is made by several at the same time', async () => {
  const directory = await temporaryDirectory();
  for (let round = 0; round < 50; round++) {
    const folder = join(directory, String(round), 'down');
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
  }
});

test('a folder that cannot be made is refused', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  for (const [path, reason] of [
    [file, 'file already exists'],
    [join(file, 'below'), 'not a directory'],
    // Linux says of it that an existing folder is missing.
    ...(process.platform === 'linux'
      ? [
          ['/proc/x', 'no such file or directory'] as const,
          ['/proc/x/y', 'no such file or directory'] as const,
        ]
      : []),
  ] as const)
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: `"${path}" expected a folder that is there or can be made (${reason})`,
    });
});

test('a folder is no file to write to', async () => {
  const folder = await temporaryDirectory();
  await expect(checkCanWrite('--out', folder)).rejects.toMatchObject({
    code: 'ERR_CONFIGURATION',
    message: `"--out" expected a file, got the folder ${folder}`,
  });
  await checkCanWrite('--out', join(folder, 'new'));
});

test.each([
  ['', 1, 1, 'a value'],
  ['{"a": 1,\n "b": tru}', 2, 7, 'a value'],
  ['{"a": 1,', 1, 9, 'a name in double quotes, not the end'],
  ['{"a": 1}}', 1, 9, 'nothing more'],
  ['[1,]', 1, 4, 'a value'],
  ['[', 1, 2, 'a value or "]", not the end'],
  ["{'a': 1}", 1, 2, 'a name in double quotes or "}"'],
  ['{\n\n"a" 2}', 3, 5, '":"'],
  ['{"a": [1 2]}', 1, 10, '"," or "]"'],
  ['{"a": 01}', 1, 7, 'a value'],
  ['{"a": "b\nc"}', 1, 7, 'a value'],
  ['{"a": "\\x"}', 1, 7, 'a value'],
  ['{"secret": hunter2}', 1, 12, 'a value'],
])(
  'JSON that is none, %j, is told by its place and not by its text',
  async (text, line, column, expected) => {
    const file = join(await temporaryDirectory(), 'task.json');
    await writeFile(file, text);
    await expect(readJsonFile('--proposal', file, z.unknown())).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: `"--proposal" expected JSON in ${file}, line ${line}, column ${column}: expected ${expected}`,
    });
  },
);

const JSON_TEXT = '{ "name": "é" }';
test.each<[string, Uint8Array, RegExp | undefined]>([
  ['UTF-8', Buffer.from(JSON_TEXT), undefined],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${JSON_TEXT}`), undefined],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${JSON_TEXT}`, 'utf16le'), undefined],
  ['Latin-1', Buffer.from(JSON_TEXT, 'latin1'), /got bytes that are not UTF-8: save the file as UTF-8/],
  ['a gzip archive', gzipSync(JSON_TEXT), /got a gzip archive/],
])('JSON in %s is read, or refused by that name, for files and for settings', async (_, bytes, message) => {
  const file = join(await temporaryDirectory(), 'file.json');
  await writeFile(file, bytes);
  const reading = readJsonFile('--policy', file, z.strictObject({ name: z.string() }));
  const settings = async () => {
    const program = createProgram({ name: 'greet', version: '1.0.0', description: 'Greets.' });
    const configuration = addSettings(program, 'GREET', { name: { schema: z.string(), description: 'who' } });
    program.parse(['node', 'greet', '--config', file]);
    return configuration();
  };
  if (message === undefined) {
    expect([await reading, await settings()]).toEqual([{ name: 'é' }, { name: 'é' }]);
    return;
  }
  const refused = { code: 'ERR_CONFIGURATION', message: expect.stringMatching(message) };
  await expect(reading).rejects.toMatchObject(refused);
  await expect(settings()).rejects.toMatchObject(refused);
});
