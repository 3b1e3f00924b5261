/** A data owner at the owners' page: a browser context of its own, and the steps that it takes there. */
import { readFile } from 'node:fs/promises';
import type { TaskId } from '@eigenveil/task';
import { type OwnerLink, ownerLink } from '@eigenveil/wire/owner-link';
import type { Download, Page } from 'playwright-core';
import { LABEL, TEST_POLICY } from './owners.ts';
import type { Site } from './site.ts';
import type { Visit } from './visitors.ts';

export const PASSPHRASE = 'correct horse battery staple';

export class BrowserOwner {
  readonly visit: Visit;
  /** The address that the owner came by. */
  readonly link: string;
  readonly #site: Site;

  private constructor(site: Site, visit: Visit, link: string) {
    this.#site = site;
    this.visit = visit;
    this.link = link;
  }

  get page(): Page {
    return this.visit.page;
  }

  /** Comes by a link with a token of its own; the visit ends with the test. */
  static async arrive(site: Site, task?: TaskId): Promise<BrowserOwner> {
    const [token] = await site.invite(1);
    const link = linkOf(site, token!, task);
    return new BrowserOwner(site, await site.visit(link), link);
  }

  /** At the page without a link. */
  static async come(site: Site): Promise<BrowserOwner> {
    return new BrowserOwner(site, await site.visit(site.ownerUrl), site.ownerUrl);
  }

  /** Makes a key with a backup, and enrols as the link says. @returns the text of the backup */
  async enrol(): Promise<string> {
    const backup = await this.makeKey();
    await this.page.waitForURL(({ hash }) => hash !== '#/enrol');
    return backup;
  }

  /** Trusts the CSP, and makes a key with a backup. @returns the text of the backup */
  async makeKey(): Promise<string> {
    const { page } = this;
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    await page.getByRole('button', { name: 'Type a passphrase' }).click();
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByLabel('Confirm passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Make the key and its backup' }).click();
    const backup = await saved(page, 'Save the backup file');
    await page.getByLabel('I have the file, and the passphrase at another place').check();
    await page.getByRole('button', { name: 'Go on' }).click();
    return backup;
  }

  /** Takes what tests compute with, which is not safe. */
  async allow(rules: Readonly<Record<string, unknown>> = TEST_POLICY): Promise<void> {
    const { page } = this;
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByText('The policy as a file').click();
    await page.getByLabel('Take the rules from a file').setInputFiles({
      name: 'policy.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(rules)),
    });
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('The policy is saved').waitFor();
  }

  /** Goes to the task from wherever it is. */
  async show(taskId: TaskId): Promise<void> {
    const { page } = this;
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('heading', { name: 'Look at a task' }).waitFor();
    const known = page.getByRole('link', { name: taskId });
    if ((await known.count()) > 0) return known.click();
    await page.getByLabel('Task', { exact: true }).fill(taskId);
    await page.getByLabel('Address of the data user').fill(this.#site.services.dataUser.url);
    await page.getByRole('button', { name: 'Show the task' }).click();
  }

  /** Chooses the file, leaves its labels out, and has it read; it is shown what was read. */
  async read(file: string, ignored: readonly string[] = [LABEL]): Promise<void> {
    const { page } = this;
    await page.getByLabel('Your file of rows').last().setInputFiles(file);
    for (const column of ignored) await page.getByLabel(column, { exact: true }).check();
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('heading', { name: 'This was read. Send it?' }).waitFor();
  }

  async contribute(file: string, ignored?: readonly string[]): Promise<void> {
    await this.read(file, ignored);
    await this.page.getByRole('button', { name: 'Encrypt and send' }).click();
    await this.page.getByText('You have contributed').waitFor();
  }

  /** Contributes, and closes the page when the request has left but nobody has had it. @returns what it would have sent */
  async cutOff(task: TaskId, file: string): Promise<Buffer> {
    const { context } = this.visit;
    const place = `**/tasks/${task}/contribution`;
    const { promise: asked, resolve } = Promise.withResolvers<Buffer>();
    await context.route(place, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      resolve(route.request().postDataBuffer()!); // and no answer
    });
    await this.read(file);
    await this.page.getByRole('button', { name: 'Encrypt and send' }).click();
    const bytes = await asked;
    await this.page.close({ runBeforeUnload: false });
    await context.unroute(place);
    return bytes;
  }

  /** At a task, on the same device, by another page. @returns what is sent from there, too, as it goes on */
  async comeBack(task: TaskId): Promise<{ owner: BrowserOwner; sent: Buffer[] }> {
    const page = await this.visit.context.newPage();
    const sent: Buffer[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataBuffer()!);
    });
    await page.goto(`${this.#site.ownerUrl}#/tasks/${task}`);
    await page.getByText('A contribution was prepared, and has no receipt yet').waitFor();
    return { owner: new BrowserOwner(this.#site, { ...this.visit, page }, this.link), sent };
  }
}

function linkOf({ services, ownerUrl }: Site, token: string, task?: TaskId): string {
  const { csp, dataUser } = services;
  const link: OwnerLink = { csp: csp.url, thumbprint: csp.thumbprint, dataUser: dataUser.url, token };
  return ownerLink(ownerUrl, task === undefined ? link : { ...link, task });
}

/** The text of the file that a button saves. */
export async function saved(page: Page, button: string): Promise<string> {
  const waiting: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  return readFile(await (await waiting).path(), 'utf8');
}
