/** Data owners as processes that are asked to do things, all at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { OwnerPolicy } from '@eigenveil/data-owner';
import type { Task } from '@eigenveil/task';
import type { Children } from '@eigenveil/testbed/processes/children';
import type { OwnerAnswer, OwnerRequest } from './owner.ts';
import type { Services } from './services.ts';

const TOKEN_SECONDS = 3600;
const PROGRAM = new URL('./owner.ts', import.meta.url).pathname;

/** What all owners together took for something they did at the same time. */
export interface OwnersWork {
  readonly rows: number;
  /** Median over owners of the time that one took, while the others were working too. */
  readonly medianMilliseconds: number;
}

export interface EnrolSetting {
  /** Where the owners' homes are made. */
  readonly folder: string;
  /** One file of rows for each. */
  readonly files: readonly string[];
  readonly policy: OwnerPolicy;
}

/** Of owners that agree to everything that a demo's task may ask. */
export function demoPolicy(minimumKeyBits: number, twoParty: Task['twoParty']): OwnerPolicy {
  return OwnerPolicy.parse({
    twoParty: [twoParty],
    minimumKeyBits,
    allowFullRank: true,
    allowSpectrum: true,
    minimumClassRows: 1,
  });
}

export class Owners {
  readonly #processes: readonly ChildProcess[];

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes;
  }

  /** The first request that they can do is to enrol. */
  static async start(children: Children, count: number, tick: () => void): Promise<Owners> {
    const processes = await Promise.all(
      Array.from({ length: count }, async () => {
        const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
        children.add(child);
        await answerOf(child);
        tick();
        return child;
      }),
    );
    return new Owners(processes);
  }

  get pids(): readonly number[] {
    return this.#processes.map(({ pid }) => pid!);
  }

  /** Enrols every owner with a file of its own at the CSP. */
  async enrol({ csp, dataUser, caFile }: Services, setting: EnrolSetting, tick: () => void): Promise<void> {
    const { folder, files, policy } = setting;
    const tokens = await inviteOwners(csp.folder, files.length, TOKEN_SECONDS);
    await this.all(
      (i) => ({
        kind: 'enrol',
        setting: {
          home: join(folder, `owner-${i + 1}`),
          data: files[i]!,
          caFile,
          cspUrl: csp.url,
          dataUserUrl: dataUser.url,
          policy,
        },
        token: tokens[i]!,
        cspThumbprint: csp.thumbprint,
      }),
      tick,
    );
  }

  /** Ends the processes; what the owners keep stays. */
  async end(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        const closed = once(child, 'close');
        child.kill();
        await closed;
      }),
    );
  }

  /** Has every owner do its request; calls `tick` whenever one is done. */
  async all(requestOf: (owner: number) => OwnerRequest, tick: () => void): Promise<OwnersWork> {
    const answers = await Promise.all(
      this.#processes.map(async (child, i) => {
        const answer = answerOf(child);
        child.send(requestOf(i));
        const result = (await answer) as OwnerAnswer;
        if ('error' in result) throw new Error(`owner ${i + 1}: ${result.error}`);
        tick();
        return result;
      }),
    );
    const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    return {
      rows: answers.reduce((sum, { rows }) => sum + rows, 0),
      medianMilliseconds: times[Math.floor(times.length / 2)]!,
    };
  }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`an owner's process ended with exit code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
