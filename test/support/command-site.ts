/** A folder in which all roles work by their command lines: a certificate, owners' homes and rows of iris, and the flags that lead there. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalCertificate } from '@eigenveil/server';
import { dataFile, exampleOf, type LabelledRows } from './tasks.ts';

export class CommandSite {
  readonly #folder: string;
  /** The rows of each owner's file. */
  readonly parts: readonly LabelledRows[];
  /** Where the data user is, once it is there. */
  dataUserUrl = '';

  private constructor(folder: string, parts: readonly LabelledRows[]) {
    this.#folder = folder;
    this.parts = parts;
  }

  static async make(owners: number): Promise<CommandSite> {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-commands-'));
    const { cert, key } = await createLocalCertificate();
    await writeFile(join(folder, 'cert.pem'), cert);
    await writeFile(join(folder, 'key.pem'), key);
    const [header, ...lines] = (await readFile(dataFile('iris'), 'utf8')).trim().split('\n');
    const parts: LabelledRows[] = [];
    for (let i = 0; i < owners; i += 1) {
      const rows = join(folder, `rows-${i}.csv`);
      const mine = lines.filter((_, line) => line % owners === i);
      await writeFile(rows, `${[header, ...mine].join('\n')}\n`);
      await mkdir(join(folder, `owner-${i}`), { mode: 0o700 });
      parts.push((await exampleOf(rows, 'pca')).rows);
    }
    return new CommandSite(folder, parts);
  }

  readonly path = (name: string) => join(this.#folder, name);
  readonly home = (owner: number) => ['--home', this.path(`owner-${owner}`)];
  readonly asOperator = () => [
    ...['--url', this.dataUserUrl, '--ca', this.path('cert.pem')],
    ...['--data-directory', this.path('user')],
  ];
  readonly asOwner = (owner: number) => [
    ...this.home(owner),
    ...['--user-url', this.dataUserUrl, '--user-ca', this.path('cert.pem')],
  ];
  /** With a policy that takes the task. */
  readonly agreeing = (owner: number) => [...this.asOwner(owner), '--policy', this.path('policy.json')];

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
