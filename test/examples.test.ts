/** The examples run against real services, each as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { RelyingHome } from '@eigenveil/authenticator/relying';
import { inviteOwners } from '@eigenveil/csp';
import { Projector, Thumbprint } from '@eigenveil/projection';
import { adminTokenFile } from '@eigenveil/server';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthenticationSite, projectedHere } from './support/authentication.ts';
import { World } from './support/world.ts';

const EXAMPLES = new URL('../examples/', import.meta.url).pathname;

describe('against services', { tags: ['long'] }, () => {
  let world: World;
  let site: AuthenticationSite;
  const started: ChildProcess[] = [];
  beforeAll(async () => {
    world = await World.start();
    site = await AuthenticationSite.start(await projectedHere());
  });
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await site.close();
    await world.close();
  });

  function start(
    example: string,
    argument: string,
    environment: Record<string, string>,
    trusted = world.dataUserConfig.tlsCertificate,
  ) {
    const [first, ...words] = tethered(process.execPath, join(EXAMPLES, example), argument);
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const child = spawn(first, words, {
      env: { PATH, NODE_COMPILE_CACHE, NODE_EXTRA_CA_CERTS: trusted, ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    started.push(child);
    return { child, ended: once(child, 'close') };
  }

  test('owners contribute rows from memory and project a stream, and a data user runs their task', async () => {
    const { dataDirectory, cspThumbprint } = world.dataUserConfig;
    const evidence = join(world.folder, 'evidence.json');
    const user = start('run-task.ts', evidence, {
      USER_URL: world.dataUserAddress.url,
      USER_ADMIN_TOKEN: (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim(),
    });
    const said = createInterface(user.child.stdout!)[Symbol.asyncIterator]();
    const { value: taskId } = (await said.next()) as { value: string };
    const tokens = await inviteOwners(world.cspConfig.dataDirectory, 2, 3600);
    const stream = [
      { temperature: 5, humidity: 90, pressure: 1013, wind: 8 },
      { wind: 8, pressure: 1013, temperature: 25, humidity: 30 },
    ];
    const owners = tokens.map((OWNER_TOKEN) => {
      const owner = start('contribute-and-project.ts', taskId, {
        CSP_URL: world.cspAddress.url,
        CSP_THUMBPRINT: cspThumbprint,
        USER_URL: world.dataUserAddress.url,
        OWNER_TOKEN,
      });
      owner.child.stdin!.end(stream.map((reading) => `${JSON.stringify(reading)}\n`).join(''));
      return { ...owner, output: text(owner.child.stdout!) };
    });
    const vectors = JSON.parse(((await said.next()) as { value: string }).value) as number[][];
    expect(await user.ended).toEqual([0, null]);
    const projector = await Projector.load(evidence, Thumbprint.parse(cspThumbprint));
    expect(projector.projection.vectors).toEqual(vectors);
    const rows = [
      [5, 90, 1013, 8],
      [25, 30, 1013, 8],
    ];
    const expected = projector.transform(rows).map((row) => JSON.stringify(row));
    for (const { ended, output } of owners) {
      expect((await output).trim().split('\n')).toEqual(expected);
      expect(await ended).toEqual([0, null]);
    }
    // What varies most is warm and dry against cold and damp, on both sides of the mean.
    const [[cold], [warm]] = projector.transform(rows) as [[number], [number]];
    expect(Math.sign(cold)).toBe(-Math.sign(warm));
  });

  test('a device enrols and streams, and a back end lets its user go on and locks somebody else out', async () => {
    const { evidence, csp, people } = site.projected;
    const [user, other] = people;
    const readingsOf = (rows: readonly (readonly number[])[]) =>
      rows.map((row) => Object.fromEntries(evidence.task.features.map(({ name }, i) => [name, row[i]])));
    const at = (name: string) => join(site.folder, name);
    const { thumbprint } = await new RelyingHome(at('relying')).signingKey();
    await site.restart({ relyingApplications: [thumbprint] });
    const trusted = site.config.tlsCertificate;
    const SERVICE_URL = site.service.url;
    const backEnd = start(
      'authentication-back-end.ts',
      'alice',
      { HOME_FOLDER: at('relying'), SERVICE_URL },
      trusted,
    );
    const said = createInterface(backEnd.child.stdout!)[Symbol.asyncIterator]();
    const next = async () => ((await said.next()) as { value: string }).value;
    await writeFile(at('evidence.json'), JSON.stringify(evidence));
    await writeFile(at('rows.json'), JSON.stringify(readingsOf(user!.enrolment)));
    const given = { INVITATION: await next(), CSP_THUMBPRINT: csp, ENROLMENT: at('rows.json') };
    const environment = { HOME_FOLDER: at('home'), SERVICE_URL, ...given };
    const device = start('authentication-device.ts', at('evidence.json'), environment, trusted);
    const heard = text(device.child.stdout!);
    const show = (rows: readonly (readonly number[])[]) =>
      device.child.stdin!.write(
        readingsOf(rows)
          .map((it) => `${JSON.stringify(it)}\n`)
          .join(''),
      );
    show(user!.later);
    const admitted = ['step-up (enrolled)', 'step-up (session-opened)', 'who are you?', 'allow (confirmed)'];
    for (const line of admitted) expect(await next()).toBe(`alice: ${line}`);
    show(user!.later);
    for (let i = 0; i < 5; i += 1) show(other!.later);
    const lines: string[] = [];
    for (let line = await next(); line !== undefined; line = await next()) lines.push(line);
    expect(lines[0]).toBe('alice: step-up (behaviour)');
    expect(lines.at(-1)).toBe('alice: lock (behaviour)');
    expect(await backEnd.ended).toEqual([0, null]);
    device.child.stdin!.end();
    expect(await device.ended).toEqual([0, null]);
    expect(await heard).toBe('enrolled as alice\n');
  });
});

test.each(['authentication-device.ts', 'authentication-back-end.ts'])(
  'docs/authentication.md shows %s as it is',
  async (name) => {
    const page = await readFile(new URL('../docs/authentication.md', import.meta.url), 'utf8');
    const program = await readFile(join(EXAMPLES, name), 'utf8');
    const code = program.slice(program.indexOf('*/\n') + 3);
    expect(code.split('\n').length).toBeLessThan(42);
    expect(page).toContain(`\`\`\`ts\n${code}\`\`\``);
  },
);
