/**
 * `npm run typecheck:examples`: type-checks the code of every `@example` of the shipped packages as a module of its
 * own, and runs those that show a result.
 */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './rooms.ts';

const FOLDERS = [
  'services/data-owner',
  'services/data-user',
  'shared/command',
  'shared/methods',
  'shared/paillier',
  'shared/platform',
  'shared/privacy',
  'shared/projection',
  'shared/protocol',
  'shared/release',
  'shared/server',
  'shared/statistics',
  'shared/task',
  'shared/two-party',
  'shared/wire',
];

/** Names that examples without a result may use as if they were there. Whatever else they use, they import or make. */
const GIVEN = {
  agreement: "import('@eigenveil/wire').Agreement",
  bytes: 'Uint8Array',
  channel: "import('@eigenveil/two-party').Channel",
  ciphertexts: "readonly import('@eigenveil/paillier').Ciphertext[]",
  client: "import('@eigenveil/wire').ServiceClient",
  computation: "import('@eigenveil/two-party/insides').Computation",
  cspKey: "import('@eigenveil/wire').PublicJwk",
  cspSigningKey: "import('@eigenveil/wire').SigningKey",
  drawn: "import('@eigenveil/protocol/servers').Drawn",
  head: 'Buffer',
  info: "Parameters<Awaited<ReturnType<typeof import('@eigenveil/server').openService>>['listen']>[0]['info']",
  key: "import('@eigenveil/wire').SigningKey",
  listener: "import('node:http').RequestListener",
  owner: "import('@eigenveil/server').Authenticator<import('@eigenveil/server').Owner>",
  ownerId: "import('@eigenveil/wire').OwnerId",
  packing: "import('@eigenveil/paillier').Packing",
  pool: "import('@eigenveil/paillier').PaillierPool",
  pooled: "import('@eigenveil/statistics').Statistics",
  projection: "import('@eigenveil/wire').Projection",
  publicKey: "import('@eigenveil/paillier').PublicKey",
  record: "import('@eigenveil/wire').OwnerRecord",
  request: "import('node:http').IncomingMessage",
  routes: "readonly import('@eigenveil/server').Route[]",
  rows: 'readonly number[][]',
  secretKey: "import('@eigenveil/paillier').SecretKey",
  server: "import('@eigenveil/server').RunningServer",
  serviceConfiguration: "Parameters<typeof import('@eigenveil/server').openService>[1]",
  shares: 'readonly bigint[]',
  signedProjection: "import('@eigenveil/projection').SignedProjection",
  signedTask: "import('@eigenveil/wire').SignedTask",
  socket: "import('node:stream').Duplex",
  task: "import('@eigenveil/task').Task",
  text: 'string',
  values: 'readonly bigint[]',
} as const;

/** `code; // → result` */
const SHOWN = /^(\s*)(.+); \/\/ → (.+)$/;
const TAG = /^\s*\* @example$/;

interface Example {
  readonly source: string;
  /** The lines of its module, numbered as in the source. */
  readonly lines: readonly string[];
  readonly showsResult: boolean;
}

function examplesOf(source: string, text: string): Example[] {
  const lines = text.split('\n');
  const tags = lines.flatMap((line, i) => (line.includes('@example') ? [i] : []));
  return tags.map((tag) => {
    if (!TAG.test(lines[tag]!))
      throw new Error(`${source}:${tag + 1}: "@example" expected alone in its line`);
    const end = lines.findIndex((line, i) => i > tag && /^\s*\*(?:\/| @)/.test(line));
    const code = lines.slice(tag + 1, end).map((line) => line.replace(/^\s*\* ?/, ''));
    const asserted = code.map((line) => line.replace(SHOWN, '$1deepStrictEqual($2, $3);'));
    const before = [
      "import { deepStrictEqual } from 'node:assert/strict';",
      ...new Array<string>(tag).fill(''),
    ];
    return {
      source,
      lines: [...before, ...asserted],
      showsResult: code.some((line) => SHOWN.test(line)),
    };
  });
}

async function readExamples(folder: string): Promise<Example[]> {
  const sources = globSync(`${folder}/src/**/*.ts`, { cwd: ROOT });
  const examples = await Promise.all(
    sources.sort().map(async (path) => examplesOf(path, await readFile(join(ROOT, path), 'utf8'))),
  );
  if (examples.flat().length === 0) throw new Error(`${folder} expected to have an @example`);
  return examples.flat();
}

async function check(folder: string, examples: readonly Example[]): Promise<void> {
  const given = Object.entries(GIVEN).map(([name, type]) => `declare const ${name}: ${type};\n`);
  await writeFile(join(folder, 'given.d.ts'), given.join(''));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), include: ['.'] }),
  );
  const modules = await Promise.all(
    examples.map(async ({ source, lines }, i) => {
      const path = join(folder, String(i), source);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, lines.join('\n'));
      return path;
    }),
  );
  // One thread costs a third less processor time for so little.
  const options = ['--project', folder, '--singleThreaded'];
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), options, { cwd: folder }).catch(
    ({ stdout, message }: { stdout: string; message: string }) => {
      throw new Error(stdout.replaceAll(/^\d+\//gm, '').trimEnd() || message);
    },
  );
  for (const [i, { source, showsResult }] of examples.entries()) {
    if (!showsResult) continue;
    await import(modules[i]!).catch((cause: unknown) => {
      throw new Error(`an example of ${source} does not give what it shows`, { cause });
    });
  }
}

const examples = (await Promise.all(FOLDERS.map(readExamples))).flat();
// Not in the system's folder for such files: modules there would not find the packages.
await mkdir(join(ROOT, 'out'), { recursive: true });
const folder = await mkdtemp(join(ROOT, 'out/examples-'));
try {
  await check(folder, examples);
  process.stdout.write(`${examples.length} examples are right\n`);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const { cause } = error;
  process.stderr.write(`${error.message}\n${cause instanceof Error ? `${cause.message}\n` : ''}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
