/** The command `page` of eigenveil-owner. What its action works with is loaded when it runs: --help and mistakes are told at once. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addSettings, COMMAND_CODES, printResult } from '@eigenveil/command';
import { CodedError, fileReason } from '@eigenveil/platform';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import { PREFIX } from './settings.ts';

export function addPage(program: Command): void {
  const command = program
    .command('page')
    .description("write the owners' page into a folder, for an organisation to host");
  const configuration = addSettings(command, PREFIX, {
    out: {
      schema: z.string().min(1),
      description: 'folder to write to, which must be empty or not there yet',
      placeholder: 'DIR',
    },
    csp: { schema: ServiceUrl, description: 'address of the CSP, https', placeholder: 'URL' },
    dataUser: {
      schema: z.array(ServiceUrl).min(1).max(32),
      description: 'address of the data user, https, or a JSON list of several',
      placeholder: 'URL',
    },
  });
  command.addHelpText(
    'after',
    `
The page can reach these services and no others. Its owners trust whoever hosts it: host it yourself, at an origin of its own, and have both
services allow that origin (--allowed-origins). The digest that is printed is the same for everybody who writes this release's page for the
same services. docs/owner-page.md has the headers that a host adds.

Example:
  $ eigenveil-owner page --out /var/www/owner --csp https://csp.example.org:8443 --data-user https://user.example.org:8444`,
  );
  command.action(async () => {
    const { out, csp, dataUser } = configuration();
    const [{ ownerPage }, { SUMS, sha256, sumsOf }] = await Promise.all([
      import('../owner/hosted-page.ts'),
      import('@eigenveil/command/sums'),
    ]);
    const files = await ownerPage([csp, ...dataUser]);
    const sums = sumsOf(files);
    await writeTo(out, files.set(SUMS, Buffer.from(sums)));
    const digest = sha256(sums);
    printResult(command, {
      json: { out, files: [...files.keys()], digest },
      text: `${[...files.keys()].join(', ')} written to ${out}\nSHA-256 of ${SUMS}: ${digest}`,
    });
  });
}

/** A web server has to read it, so the folder and the files are for all to read, as far as the user's umask allows. */
async function writeTo(out: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  try {
    await mkdir(out).catch(async (error: unknown) => {
      if ((await readdir(out)).length > 0) throw error;
    });
    for (const [name, bytes] of files) await writeFile(join(out, name), bytes, { flag: 'wx' });
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--out" expected an empty folder, or a new one in a folder that can be written to, got ${out} (${reason})`,
      { cause },
    );
  }
}
