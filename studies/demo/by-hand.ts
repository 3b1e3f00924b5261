/** The things that are needed to go on by hand with services that the demo leaves running: settings in files, and the commands. */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { OwnerPolicy } from '@eigenveil/data-owner';
import type { TaskId } from '@eigenveil/task';
import type { Services } from './services.ts';
import type { TaskSetting } from './task.ts';

/**
 * Writes a file of settings for each role to `folder` and returns commands that use them, to be given one after the other in `directory`:
 * first about the task `done`, then another task from its draft to its result. Owners' homes are `owner-1` and so on in `folder`, their rows
 * beside.
 */
export async function commandsByHand(
  { csp, dataUser, caFile }: Services,
  setting: TaskSetting & { readonly folder: string; readonly policy: OwnerPolicy },
  done: TaskId,
  directory: string,
): Promise<readonly string[]> {
  const { folder, policy, owners, label, ignore, components, twoParty, data } = setting;
  const at = (name: string) => join(folder, name);
  const settings = {
    'csp.json': { dataDirectory: csp.folder },
    'user.json': { dataDirectory: dataUser.folder, url: dataUser.url, ca: caFile },
    'policy.json': policy,
    ...Object.fromEntries(
      Array.from({ length: owners }, (_, i) => [
        `owner-${i + 1}.json`,
        {
          home: at(`owner-${i + 1}`),
          data: at(`owner-${i + 1}.csv`),
          ignore: [label, ...ignore],
          userUrl: dataUser.url,
          userCa: caFile,
          policy: at('policy.json'),
        },
      ]),
    ),
  };
  for (const [name, value] of Object.entries(settings)) await writeFile(at(name), JSON.stringify(value));
  const user = `--config ${quoted(at('user.json'))}`;
  const owner = (name: string) => `--config ${quoted(at('owner-'))}${name}.json`;
  const columns = quoted(JSON.stringify([label, ...ignore]));
  return [
    ...withoutVariables(Object.keys(process.env)),
    `npx eigenveil-user task list ${user}`,
    `npx eigenveil-user task result ${done} ${user} --out projection.json`,
    `npx eigenveil-owner project ${done} ${owner('1')} --out reduced.csv`,
    `npx eigenveil-csp audit verify --config ${quoted(at('csp.json'))}`,
    `npx eigenveil-user task draft pca --data ${quoted(relative(directory, data) || data)} --ignore ${columns} --components ${Math.min(2, components)} --owners ${owners} --two-party ${twoParty} > task.json`,
    `task=$(npx eigenveil-user task create ${user} --proposal task.json)`,
    `for i in $(seq ${owners}); do npx eigenveil-owner contribute $task ${owner('$i')}; done`,
    `npx eigenveil-user task close $task ${user}`,
    `npx eigenveil-user task result $task ${user}`,
  ];
}

/** Variables of other services, in whose shell the demo may run, would win over the files. */
function withoutVariables(names: readonly string[]): readonly string[] {
  const others = names.filter((name) => /^EIGENVEIL_(?:CSP|USER|OWNER)_\w+$/.test(name));
  return others.length === 0 ? [] : [`unset ${others.sort().join(' ')}`];
}

/** Writes a text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
