/** One decomposition in two fresh processes that talk over TLS. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Task } from '@eigenveil/task';
import type { LineOptions } from '@eigenveil/testbed/proxies/line';
import { Relay } from '@eigenveil/testbed/proxies/relay';
import type { Assignment, CspAddress, Evaluated, Used } from './two-party.ts';

/** The result of unblinding: additive shares of the flat statistics. */
export interface Shares {
  readonly csp: readonly bigint[];
  readonly dataUser: readonly bigint[];
  /** The Ω of a task with a sketch. */
  readonly signs?: Int32Array;
  readonly verifiedOwners: number;
}

interface BetweenOptions {
  /** The line between the two servers; the loopback interface alone without it. */
  readonly line?: LineOptions;
  readonly countsTrips?: boolean;
}

/** The task's decomposition by its two-party protocol, and what both processes used for it. */
export async function decomposeBetweenProcesses(
  task: Task,
  { verifiedOwners, signs, ...shares }: Shares,
  { countsTrips = false, line }: BetweenOptions = {},
): Promise<Evaluated & { csp: Used }> {
  const assignment = (own: readonly bigint[]): Assignment => ({
    task,
    shares: own,
    ...(signs && { signs }),
    verifiedOwners,
    countsTrips,
  });
  const [csp, dataUser] = ['csp-process', 'data-user-process'].map((name) =>
    fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  ) as [ReturnType<typeof fork>, ReturnType<typeof fork>];
  const ended = [csp, dataUser].map(async (child) => {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0) throw new Error(`a process of the benchmark ended with ${code ?? signal}`);
  });
  // Without a message from it, a process that has ended is a failure; after its message it is what is waited for.
  const hear = async <T>(child: ReturnType<typeof fork>, end: Promise<void>): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), end.then(() => undefined)])) ?? [];
    if (message === undefined) throw new Error('a process of the benchmark ended without a result');
    return message as T;
  };
  const [cspEnd, dataUserEnd] = ended as [Promise<void>, Promise<void>];
  let relay: Relay | undefined;
  try {
    const ready = hear(dataUser, dataUserEnd);
    csp.send(assignment(shares.csp));
    const [address] = await Promise.all([hear<CspAddress>(csp, cspEnd), ready]);
    const url = new URL(address.url);
    if (line !== undefined) {
      relay = await Relay.start(Number(url.port), line);
      url.port = String(relay.port);
    }
    dataUser.send({ ...assignment(shares.dataUser), ...address, url: url.origin });
    const [evaluated, atCsp] = await Promise.all([
      hear<Evaluated>(dataUser, dataUserEnd),
      hear<Used>(csp, cspEnd),
    ]);
    await Promise.all(ended);
    return { ...evaluated, csp: atCsp };
  } finally {
    relay?.close();
    csp.kill();
    dataUser.kill();
  }
}
