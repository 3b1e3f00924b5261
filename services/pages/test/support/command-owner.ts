/** A data owner who works by the command line, with a home and a file of rows. */
import { join } from 'node:path';
import type { TaskId } from '@eigenveil/task';
import { Children, type Finished } from '@eigenveil/testbed/processes/programs';
import { LABEL } from './owners.ts';
import type { Site } from './site.ts';

export class CommandOwner {
  readonly file: string;
  readonly #site: Site;
  readonly #home: string;
  readonly #policy: string;
  readonly #children = new Children();

  /** @param policy a file */
  constructor(site: Site, name: string, file: string, policy: string) {
    this.#site = site;
    this.#home = join(site.folder, name);
    this.file = file;
    this.#policy = policy;
  }

  enrol(token: string): Promise<Finished> {
    const { csp, caFile } = this.#site.services;
    return this.#run(
      'enrol',
      ['--csp-url', csp.url, '--csp-ca', caFile, '--csp-thumbprint', csp.thumbprint],
      token,
    );
  }

  contribute(taskId: TaskId): Promise<Finished> {
    return this.#run('contribute', [taskId, ...this.#taking(), '--data', this.file, '--ignore', LABEL]);
  }

  /** Writes rows of a file, reduced, to `out`. */
  project(taskId: TaskId, data: string, out: string): Promise<Finished> {
    return this.#run('project', [taskId, ...this.#taking(), '--data', data, '--out', out]);
  }

  #taking(): readonly string[] {
    const { dataUser, caFile } = this.#site.services;
    return ['--user-url', dataUser.url, '--user-ca', caFile, '--policy', this.#policy];
  }

  #run(what: string, flags: readonly string[], token?: string): Promise<Finished> {
    const environment: Record<string, string> = token === undefined ? {} : { EIGENVEIL_OWNER_TOKEN: token };
    return this.#children.run('owner', ['--json', what, '--home', this.#home, ...flags], environment);
  }
}
