/**
 * Traces of a task over both servers, as a collector gets them: linked, without owners and values, and not
 * at a stranger's word.
 *
 * @claims S-585
 */
import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '@eigenveil/testbed/port';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { send } from './support/requests.ts';
import { dataFile, exampleOf, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const Span = z.looseObject({
  name: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  attributes: z.array(z.looseObject({ key: z.string() })),
  links: z.array(z.looseObject({ traceId: z.string(), spanId: z.string() })).default([]),
});
const Body = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({
        attributes: z.array(
          z.looseObject({ key: z.string(), value: z.looseObject({ stringValue: z.string() }) }),
        ),
      }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});

const collector = spawn(
  ...words(tethered(process.execPath, new URL('support/collector.ts', import.meta.url).pathname)),
);
const lines: string[] = [];
let endpoint: string;
function words([command, ...args]: [string, ...string[]]) {
  return [command, args, { stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] }] as const;
}
beforeAll(async () => {
  const first = Promise.withResolvers<string>();
  createInterface({ input: collector.stdout! }).on('line', (line) => {
    first.resolve(line);
    lines.push(line);
  });
  endpoint = `http://127.0.0.1:${await first.promise}/v1/traces`;
  lines.shift();
});
afterAll(() => {
  collector.kill();
});

/** The spans that have come, with the service that has sent each. */
const all = () =>
  lines
    .flatMap((line) => Body.parse(JSON.parse(line)).resourceSpans)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          service: resource.attributes.map((it) => it.value.stringValue).join(),
        })),
      ),
    );
const of = (service: string, name: string) =>
  all().filter((it) => it.service === service && it.name === name);

test('a computation is a trace at each server, and a stranger changes none', async () => {
  const world = await World.start({
    csp: { traceEndpoint: endpoint },
    dataUser: { traceEndpoint: endpoint },
  });
  const forged = { trace: 'f'.repeat(32), span: 'e'.repeat(16) };
  const headers = {
    traceparent: `00-${forged.trace}-${forged.span}-01`,
    tracestate: 'who=mallory',
    baggage: 'who=mallory',
  };
  const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca');
  const client = await world.taskClient();
  const { task } = await client.create(proposal);
  const ids: string[] = [];
  for (const part of split(rows, 2)) {
    const { owner, home } = await world.enrolledOwner();
    await owner.contribute(world.dataUserAddress, task.id, async (agreed) => summarise(agreed, part));
    ids.push((await home.enrolment())!.ownerId);
  }
  for (const address of [world.cspAddress, world.dataUserAddress])
    await send(address, { method: 'GET', path: '/.well-known/jwks.json', headers });
  await client.closeTask(task.id);
  await expect.poll(async () => (await client.status(task.id)).state).toBe('done');
  await world.close(); // which sends what is left

  const unblinding = () => of('eigenveil-csp', 'POST /tasks/:taskId/unblinding');
  await expect.poll(() => unblinding().length).toBe(1);
  const stages = of('eigenveil-data-user', 'stage');
  // What the CSP did is linked to the stage in which the data user asked for it, in a trace of the CSP's own.
  const [span] = unblinding();
  const [link] = span!.links;
  expect(stages.map((it) => [it.traceId, it.spanId])).toContainEqual([link!.traceId, link!.spanId]);
  expect(span!.traceId).not.toBe(link!.traceId);
  expect(span!.parentSpanId ?? '').toBe('');
  expect(
    of('eigenveil-data-user', 'POST /tasks/:taskId/contribution').length +
      of('eigenveil-data-user', 'PUT /tasks/:taskId/contribution').length,
  ).toBe(2);
  for (const service of ['eigenveil-csp', 'eigenveil-data-user'])
    expect(of(service, 'GET /.well-known/jwks.json').length).toBeGreaterThan(0);

  const text = lines.join('\n');
  for (const secret of [...ids, forged.trace, forged.span, 'mallory', '127.0.0.1'])
    expect(text).not.toContain(secret);
  const keys = new Set(all().flatMap(({ attributes }) => attributes.map(({ key }) => key)));
  const known = [
    'http.request.method',
    'http.route',
    'http.response.status_code',
    'eigenveil.task',
    'eigenveil.code',
  ];
  expect([...keys].filter((key) => !known.includes(key))).toEqual([]);
});

test("an owner's command is a trace of its own, which no service hears of", async () => {
  const world = await World.start({
    csp: { traceEndpoint: endpoint },
    dataUser: { traceEndpoint: endpoint },
  });
  try {
    const { proposal } = await exampleOf(dataFile('iris'), 'pca');
    const { task } = await (await world.taskClient()).create(proposal);
    const { home } = await world.enrolledOwner();
    const { ownerId } = (await home.enrolment())!;
    const [ca, policy, other] = ['ca.pem', 'policy.json', 'other.csv'].map((name) =>
      join(world.folder, name),
    );
    await writeFile(ca!, world.ca);
    await writeFile(
      policy!,
      JSON.stringify({ minimumKeyBits: 1024, twoParty: ['simulated'], allowFullRank: true }),
    );
    await writeFile(other!, 'confidential_column\n1\n');
    const contribute = (file: string) =>
      runInProcess(
        'owner',
        '--json',
        'contribute',
        task.id,
        '--data',
        file,
        '--ignore',
        'label',
        ...[
          ...[
            '--home',
            join(world.folder, 'owner-1'),
            '--user-url',
            world.dataUserAddress.url,
            '--user-ca',
            ca!,
          ],
          ...['--policy', policy!, '--trace-endpoint', endpoint],
        ],
      );
    lines.length = 0;
    const { code } = problemOf(await contribute(other!)) as { code: string };
    jsonOf(await contribute(dataFile('iris')));
    await world.close(); // which sends what is left

    const mine = all().filter(({ service }) => service === 'eigenveil-data-owner');
    const [failed, whole] = mine.filter(({ name }) => name === 'contribute');
    const inside = mine.filter(({ parentSpanId }) => parentSpanId === whole!.spanId);
    expect(inside.map(({ name }) => name)).toEqual(['read rows', 'prepare', 'send']);
    expect(JSON.stringify(failed!.attributes)).toContain(code);
    const traces = new Set(mine.map(({ traceId }) => traceId));
    expect(traces.size).toBe(2);
    const theirs = all().filter(({ service }) => service !== 'eigenveil-data-owner');
    expect(theirs.filter(({ name }) => name === 'PUT /tasks/:taskId/contribution')).toHaveLength(1);
    for (const { traceId, links } of theirs)
      for (const id of [traceId, ...links.map((link) => link.traceId)]) expect(traces.has(id)).toBe(false);
    const keys = new Set(mine.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect([...keys].sort()).toEqual(['eigenveil.code', 'eigenveil.task']);
    for (const secret of [ownerId, 'confidential_column', 'other.csv', '127.0.0.1'])
      expect(JSON.stringify(mine)).not.toContain(secret);
  } finally {
    await world.close();
  }
});

test('nothing of OpenTelemetry is loaded where no collector is configured', { tags: ['long'] }, async () => {
  const hook = new URL('support/loaded-modules.ts', import.meta.url).pathname;
  const code = `const { startCsp } = await import('@eigenveil/csp'); const { startDataUser } = await import('@eigenveil/data-user'); await import('@eigenveil/data-owner');`;
  const args = ['--import', hook, '--input-type=module', '-e', code];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  const loaded = JSON.parse(stderr) as string[];
  expect(loaded.some((url) => url.endsWith('shared/server/src/observe/tracing.ts'))).toBe(true);
  // prom-client loads the interface, which does nothing by itself.
  const ours = loaded.filter((url) => /@opentelemetry\/(?!api\/)|(open-telemetry|traces)\.ts$/.test(url));
  expect(ours).toEqual([]);
});

test('a collector that is down holds up no stop', async () => {
  const down = `http://127.0.0.1:${await freePort()}/v1/traces`;
  const world = await World.start({ csp: { traceEndpoint: down } });
  await send(world.cspAddress, { method: 'GET', path: '/.well-known/jwks.json', headers: {} });
  await world.close(); // the test ends, or its time does
});
