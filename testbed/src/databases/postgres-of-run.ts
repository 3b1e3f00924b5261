/**
 * The one PostgreSQL of a run of tests, which vitest sets up before it and takes down after it. It is launched when the first
 * test asks for a database, so a run without one does not pay for it, and it belongs to the process that all workers come from:
 * workers only ask, and when the run is killed, the server ends with it.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type {} from './database-of-run.ts'; // the type of what is provided
import { Postgres } from './postgres.ts';

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // vitest asks once for each of its projects, too.
  if (!project.isRootProject()) return undefined;
  let launched: Promise<Postgres> | undefined;
  const server = await answering(async () => {
    launched ??= Postgres.launch();
    return (await launched).database();
  });
  project.provide('postgresOfRun', server.address);
  return async () => {
    server.close();
    await launched?.then(
      (postgres) => postgres.close(),
      () => undefined, // who asked has been told
    );
  };
}

/** Answers whoever knows the address, which nobody on this machine can guess. */
async function answering(database: () => Promise<string>) {
  const path = `/${randomBytes(16).toString('hex')}`;
  const server: Server = createServer({ keepAlive: false }, async (request, response) => {
    response.setHeader('connection', 'close'); // nobody asks often
    try {
      if (request.url !== path) throw new Error('nothing is here');
      response.end(await database());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}${path}`, close: () => server.close() };
}
