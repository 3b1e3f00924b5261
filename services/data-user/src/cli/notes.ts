/** What the commands of a task tell the person at the terminal, beside their results and as configuration errors. */
import { asUsage, type Command, printNote } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';

/** To people only, for whom alone the lines are made. */
export async function tellNotes(command: Command, lines: () => Promise<readonly string[]>): Promise<void> {
  if (command.optsWithGlobals().json === true) return;
  for (const line of await lines()) printNote(command, `note: ${line}`);
}

/** Tells every fault of a proposal as one of its file or of the flags, under the code that says what it is. */
export async function asConfiguration<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodedError && error.info.exit !== 'usage') throw asUsage(error);
    throw error;
  }
}
