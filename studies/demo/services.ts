/** Starts a CSP and a data user as child processes that know each other, with keys and a certificate made for them. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskClient } from '@eigenveil/data-user';
import { adminTokenFile, createLocalCertificate, openSigningKey } from '@eigenveil/server';
import type { Task } from '@eigenveil/task';
import type { Children } from '@eigenveil/testbed/processes/children';
import { type ProgramName, program } from '@eigenveil/testbed/processes/programs';
import type { Thumbprint } from '@eigenveil/wire';

interface ServicesSetting {
  /** The folder in which the services keep their data. */
  readonly folder: string;
  readonly keyBits: number;
  readonly twoParty: Task['twoParty'];
  /** Addresses under which peers reach the services, where these are not the ones that they listen on. */
  readonly publicUrls?: { readonly csp: string; readonly dataUser: string };
  /** Further flags of both services. */
  readonly flags?: readonly string[];
  /** A PostgreSQL database for the data user, and how many processes share it. */
  readonly shared?: { readonly databaseUrl: string; readonly processes: number };
}

export interface StartedService {
  readonly pid: number;
  /** The address that it listens on. */
  readonly listensOn: string;
  /** The address under which peers reach it. */
  readonly url: string;
}

export interface Services {
  readonly csp: StartedService & { readonly folder: string; readonly thumbprint: Thumbprint };
  readonly dataUser: StartedService & { readonly folder: string };
  /** All its processes, that one first. */
  readonly dataUsers: readonly StartedService[];
  /** The certificate of both, and the file of its key. */
  readonly caFile: string;
  readonly keyFile: string;
  /** The client of the person who runs the data user. */
  readonly client: TaskClient;
}

/** On a busy machine a step of a large task holds up answers for longer than a request waits, and connections break meanwhile. */
const PATIENCE_MILLISECONDS = 600_000;

/** `tick` is called whenever one listens. */
export async function startServices(
  children: Children,
  setting: ServicesSetting,
  tick: () => void,
): Promise<Services> {
  const { folder, keyBits, twoParty, publicUrls, flags = [], shared } = setting;
  const cspFolder = join(folder, 'csp');
  const dataUserFolder = join(folder, 'data-user');
  const caFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'certificate-key.pem');
  const certificate = await createLocalCertificate();
  await writeFile(caFile, certificate.cert);
  await writeFile(keyFile, certificate.key, { mode: 0o600 });
  const cspIdentity = await openSigningKey(cspFolder);
  const dataUserIdentity = await openSigningKey(dataUserFolder);
  const serve = async (
    name: ProgramName,
    publicUrl: string | undefined,
    args: readonly string[],
  ): Promise<StartedService> => {
    const started = await startService(children, name, { caFile, keyFile }, [
      ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
      ...args,
      ...flags,
    ]);
    tick();
    return { ...started, url: publicUrl ?? started.url };
  };
  const csp = await serve('csp', publicUrls?.csp, [
    ...['--data-directory', cspFolder],
    ...['--data-users', JSON.stringify([dataUserIdentity.thumbprint])],
    ...(twoParty === 'simulated' ? ['--allow-simulated'] : []),
    ...(keyBits < 2048 ? ['--allow-insecure-keys'] : []),
    '--allow-full-rank', // of rows that are public
  ]);
  const serveDataUser = (directory: string, ...more: string[]) =>
    serve('user', publicUrls?.dataUser, [
      ...['--data-directory', directory],
      ...['--csp-url', csp.url, '--csp-thumbprint', cspIdentity.thumbprint, '--csp-ca', caFile],
      ...(shared === undefined ? [] : ['--database-url', shared.databaseUrl]),
      ...more,
    ]);
  const dataUser = await serveDataUser(dataUserFolder);
  const dataUsers = [dataUser];
  for (let i = 2; i <= (shared?.processes ?? 1); i += 1) {
    // One identity and one key for what all of them keep in the database, a directory for each.
    const directory = join(folder, `data-user-${i}`);
    await mkdir(directory, { mode: 0o700 });
    await copyFile(join(dataUserFolder, 'signing-key.json'), join(directory, 'signing-key.json'));
    const key = join(dataUserFolder, 'key-encryption-key');
    dataUsers.push(await serveDataUser(directory, '--key-encryption-key', key));
  }
  const adminToken = (await readFile(adminTokenFile(dataUserFolder), 'utf8')).trim();
  const client = new TaskClient({
    url: dataUser.url,
    ca: certificate.cert,
    adminToken,
    patienceMilliseconds: PATIENCE_MILLISECONDS,
  });
  return {
    csp: { ...csp, folder: cspFolder, thumbprint: cspIdentity.thumbprint },
    dataUser: { ...dataUser, folder: dataUserFolder },
    dataUsers,
    caFile,
    keyFile,
    client,
  };
}

/** Starts one service of any role on a port of its own choice and waits until it listens. */
export async function startService(
  children: Children,
  name: ProgramName,
  { caFile, keyFile }: Pick<Services, 'caFile' | 'keyFile'>,
  args: readonly string[],
): Promise<StartedService> {
  const { pid, line } = await children.start(program(name), [
    'serve',
    ...['--tls-certificate', caFile, '--tls-key', keyFile],
    ...['--port', '0', '--json', '--log-level', 'fatal'],
    ...args,
  ]);
  const url = String(line.url);
  return { pid, listensOn: url, url };
}
