/** What the commands of a task tell the person at the terminal, beside their results and as configuration errors. */
import { type Command, ConfigurationError, printNote } from '@eigenveil/command';

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
    const packages = await Promise.all([
      import('@eigenveil/paillier'),
      import('@eigenveil/privacy'),
      import('@eigenveil/projection'),
      import('@eigenveil/task'),
      import('@eigenveil/two-party/plan'),
      import('@eigenveil/wire'),
    ]);
    const [{ PaillierError }, { PrivacyError }, { ProjectionError }, { TaskError }, { TwoPartyError }, wire] =
      packages;
    const known = [PaillierError, PrivacyError, ProjectionError, TaskError, TwoPartyError, wire.ServiceError];
    for (const kind of known)
      if (error instanceof kind)
        throw new ConfigurationError(error.message, { cause: error, code: error.code });
    throw error;
  }
}
