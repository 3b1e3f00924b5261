/** The things that there are to look at on the pages of services that the demo leaves running: tasks of both protocols, one still open, and invitations. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { adminTokenFile } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { ownerLink } from '@eigenveil/wire/owner-link';
import { fingerprintOf, keyPin } from './own-certificate.ts';
import { OwnerHost } from './owner-host.ts';
import type { Owners } from './owners.ts';
import type { Services } from './services.ts';
import { compute, createTask, ignoredBy, type TaskSetting } from './task.ts';

/** The protocols that compute tasks of the demo, so that owners must take them. */
export const KEPT_PROTOCOLS = ['garbled', 'rotated'] as const;
const COMPONENTS = 2;
const INVITED = 3;
const TOKEN_SECONDS = 24 * 3600;
/** As an owner's policy asks for by default, so that the page takes the task without a change. */
const KEY_BITS = 3072;

export interface KeptPages {
  readonly console: string;
  readonly operatorTokenFile: string;
  /** Links for further owners, each with a file of rows that nobody has contributed to the open task. */
  readonly invitations: readonly { readonly link: string; readonly rows: string }[];
  /** The fingerprint of the certificate of all three. */
  readonly fingerprint: string;
  /** A command that opens the console. */
  readonly chromium: string;
}

export interface PagesKept {
  readonly pages: KeptPages;
  close(): Promise<void>;
}

interface KeptSetting extends TaskSetting {
  readonly folder: string;
  /** The files of rows, by owner. */
  readonly files: readonly string[];
  /** The port at which the services expect the owners' page. */
  readonly pagePort: number;
}

export async function keepPages(
  services: Services,
  owners: Owners,
  setting: KeptSetting,
  note: (text: string) => void,
): Promise<PagesKept> {
  const { csp, dataUser, caFile, keyFile } = services;
  for (const twoParty of KEPT_PROTOCOLS)
    if (twoParty !== setting.twoParty) await computed(services, owners, { ...setting, twoParty }, note);
  const { taskId, contributed } = await openTask(services, owners, setting);
  const [cert, key] = await Promise.all([readFile(caFile, 'utf8'), readFile(keyFile, 'utf8')]);
  const folder = join(setting.folder, 'page');
  const host = await OwnerHost.start(
    folder,
    setting.pagePort,
    { cert, key },
    {
      csp: csp.url,
      dataUser: dataUser.url,
    },
  );
  const tokens = await inviteOwners(csp.folder, INVITED, TOKEN_SECONDS);
  const { thumbprint } = csp;
  const address = `${dataUser.url}/console/`;
  return {
    pages: {
      console: address,
      operatorTokenFile: adminTokenFile(dataUser.folder),
      invitations: tokens.map((token, i) => ({
        link: ownerLink(host.url, { csp: csp.url, thumbprint, dataUser: dataUser.url, task: taskId, token }),
        rows: setting.files[Math.min(contributed + i, setting.files.length - 1)]!,
      })),
      fingerprint: fingerprintOf(cert),
      chromium: `chromium --user-data-dir=${join(setting.folder, 'chromium')} --ignore-certificate-errors-spki-list=${keyPin(cert)} ${address}`,
    },
    close: () => host.close(),
  };
}

/** A task of few components over the same rows. */
async function computed(
  { client }: Services,
  owners: Owners,
  setting: TaskSetting,
  note: (text: string) => void,
): Promise<void> {
  const { task } = await createTask(client, { ...setting, components: COMPONENTS }, 'pca');
  await contribute(owners, owners.size, setting, task.id);
  await compute(client, task.id, () => undefined, note);
}

/** One to which half of the owners have contributed, one more is needed, and one upload was refused. */
async function openTask(
  { client, dataUser, caFile }: Services,
  owners: Owners,
  setting: TaskSetting,
): Promise<{ taskId: TaskId; contributed: number }> {
  const contributed = Math.floor(owners.size / 2);
  const keyBits = setting.keyBits < 2048 ? setting.keyBits : Math.max(KEY_BITS, setting.keyBits);
  const { task } = await createTask(
    client,
    { ...setting, twoParty: 'garbled', components: COMPONENTS, keyBits },
    'pca',
    { minimumOwners: contributed + 1, maximumOwners: owners.size + INVITED },
  );
  await contribute(owners, contributed, setting, task.id);
  await sendAsStranger(`${dataUser.url}/tasks/${task.id}/contribution`, await readFile(caFile, 'utf8'));
  return { taskId: task.id, contributed };
}

async function contribute(
  owners: Owners,
  count: number,
  setting: TaskSetting,
  taskId: TaskId,
): Promise<void> {
  const ignore = ignoredBy(setting, 'pca');
  await Promise.all(
    Array.from({ length: count }, (_, i) => owners.ask(i, { kind: 'contribute', taskId, ignore })),
  );
}

/** Somebody who is not enrolled: the console counts that it was refused. */
function sendAsStranger(url: string, ca: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(url, { method: 'PUT', ca, agent: false }, (answer) => answer.resume().once('end', resolve))
    .once('error', reject)
    .end();
  return promise;
}
