/**
 * Reads the files and makes the folders that a command line names; the user has to correct what is wrong with
 * them.
 */
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CodedError, fileReason } from '@eigenveil/platform';
import { explainIssues } from '@eigenveil/wire/explain';
import { z } from 'zod';
import { COMMAND_CODES } from './codes.ts';
import { jsonOf, textIn, withSuggestions } from './json.ts';

/**
 * Returns the text of the file that the setting `title` names.
 * @throws ERR_CONFIGURATION
 */
export async function readTextFile(title: string, path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${title}" expected a readable file, got ${path} (${reason})`,
      { cause },
    );
  }
  return textIn(bytes, `"${title}" expected text in ${path}`);
}

/**
 * A JSON file, checked by a schema.
 * @throws ERR_CONFIGURATION
 * @example
 * import { readJsonFile } from '@eigenveil/command';
 * import { TaskProposal } from '@eigenveil/task';
 *
 * const proposal = await readJsonFile('--proposal', 'task.json', TaskProposal);
 */
export async function readJsonFile<Schema extends z.ZodType>(
  title: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  return checkConfiguration(schema, jsonOf(title, path, await readTextFile(title, path)), path);
}

/**
 * Reads a file of "eigenveil-owner project --evidence". It is easily confused with the file that has the
 * vectors, so this is checked before single members are.
 * @throws ERR_CONFIGURATION
 */
export async function readSignedFile<Schema extends z.ZodType>(
  flag: string,
  file: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const content = await readJsonFile(flag, file, z.unknown());
  if (typeof content !== 'object' || content === null || !('agreement' in content))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected a file that "project --evidence" has written, got ${file}; files of "project --save" and "task result --out" do not hold the task, so that nothing can be checked`,
    );
  return checkConfiguration(schema, content, file);
}

/**
 * Checks, before work that ends with this file, that it is not a folder and that its own folder can be
 * written to.
 * @throws ERR_CONFIGURATION
 */
export async function checkCanWrite(flag: string, file: string): Promise<void> {
  if (await isFolder(resolve(file)))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected a file, got the folder ${file}`,
    );
  await access(dirname(resolve(file)), constants.W_OK).catch((cause: unknown) => {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected a file in a folder that exists and can be written to, got ${file}`,
      { cause },
    );
  });
}

/**
 * Checks a value that the user is responsible for by a schema.
 * @throws ERR_CONFIGURATION
 */
export function checkConfiguration<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  title: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) {
    const problem = explainIssues(withSuggestions(result.error, schema), 'value');
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `"${title}": ${problem}`);
  }
  return result.data;
}

/**
 * Makes a folder that nobody else may enter, with those above it, unless it exists. It does not use mkdir's
 * `recursive`, which never ends where the system says that an existing folder is missing, as /proc does.
 * @throws ERR_CONFIGURATION
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeWithParents(resolve(path));
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${path}" expected a folder that is there or can be made (${reason})`,
      {
        cause,
      },
    );
  }
}

async function makeWithParents(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw error;
    // Another process may have made it meanwhile.
    if (!(await isFolder(parent))) await makeWithParents(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
