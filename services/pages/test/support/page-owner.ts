/** A data owner in a browser, with a device of its own. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { LABEL } from './owners.ts';
import type { Site } from './site.ts';

export class PageOwner {
  readonly page: Page;
  readonly file: string;

  private constructor(page: Page, file: string) {
    this.page = page;
    this.file = file;
  }

  /** Comes by a link, makes a key without a backup, allows keys of 2048 bits, and enrols: then it is at the task that the link names. */
  static async arrive(site: Site, link: string, file: string): Promise<PageOwner> {
    const { page } = await site.open(link);
    await page.getByRole('button', { name: 'Make the key without a backup' }).click();
    await page.getByRole('button', { name: 'Trust this CSP and enrol' }).click();
    await page.getByRole('heading', { name: 'What your policy says' }).waitFor();
    return new PageOwner(page, file);
  }

  /** Changes a rule of its policy, and comes back to the task. */
  async allow(keyBits: number): Promise<void> {
    await this.page.getByText('Your policy refuses this task').waitFor();
    await this.page.getByRole('link', { name: 'change your policy' }).click();
    await this.page.getByLabel('Shortest Paillier key, in bits').fill(String(keyBits));
    await this.page.getByRole('button', { name: 'Keep this policy' }).click();
    await this.page.getByText('The policy is kept').waitFor();
    await this.page.goBack();
    await this.page.getByText('Your policy takes this task').waitFor();
  }

  /** Until the receipt is there. */
  async contribute(): Promise<void> {
    await this.page.getByRole('button', { name: 'Your file of rows' }).setInputFiles(this.file);
    await this.page.getByLabel(LABEL, { exact: true }).check();
    await this.page.getByRole('button', { name: 'Read the file' }).click();
    await this.page.getByRole('button', { name: 'Encrypt and send' }).click();
    await this.page.getByText('You have contributed').waitFor();
  }

  /** Checks the result and reduces its rows; returns what it saves. */
  async reduce(): Promise<string> {
    await this.page.getByRole('button', { name: 'Fetch the result, or wait for it' }).click();
    await this.page.getByText('The result is checked').waitFor();
    await this.page.getByRole('button', { name: 'File of rows to reduce' }).setInputFiles(this.file);
    await this.page.getByRole('button', { name: 'Reduce the rows' }).click();
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      this.page.getByRole('button', { name: 'Save the reduced rows' }).click(),
    ]);
    return readFile(await download.path(), 'utf8');
  }
}
