/** Processes of a load that are told what to do and tell how far they are. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Children } from '@eigenveil/testbed/processes/children';

interface Worker {
  readonly process: ChildProcess;
  /** Resolves when it has done everything, rejects when it fails. */
  readonly ended: Promise<void>;
}

/** Starts a program with an assignment; `hear` gets its messages. */
export function startWorker<Message>(
  children: Children,
  program: URL,
  assignment: object,
  hear: (message: Message) => void,
): Worker {
  const child = fork(fileURLToPath(program), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.add(child);
  const ended = new Promise<void>((resolve, reject) => {
    child.on('message', hear).once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program.pathname} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
  child.send(assignment);
  return { process: child, ended };
}
