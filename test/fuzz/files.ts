/** The parsers of files and frames: rows, configuration, policies, sealed values, a stream's messages. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  AUTHENTICATION_CODES,
  decodeTemplate,
  encodeTemplate,
  makeTemplate,
  Scorer,
} from '@eigenveil/authentication';
import { addSettings, readJsonFile } from '@eigenveil/command';
import { OwnerPolicy } from '@eigenveil/data-owner';
import { draftTask } from '@eigenveil/data-user';
import { isOf } from '@eigenveil/platform';
import {
  loadOrCreateKeyRing,
  openSigningKey,
  restoreBackup,
  SERVICE_SETTINGS,
  Sealer,
} from '@eigenveil/server';
import { type CsvOptions, csvLine, readFileBytes, readRows } from '@eigenveil/statistics';
import { statisticsOfResult } from '@eigenveil/statistics/sql';
import { MessageStream, memoryChannelPair } from '@eigenveil/two-party/insides';
import { Command } from 'commander';
import fc from 'fast-check';
import { madeUpProposal } from '../support/tasks.ts';
import { mutatedBytes, mutatedJson } from './mutate.ts';
import {
  asBase64,
  attempt,
  attemptAsync,
  expectServiceCode,
  Fault,
  type Target,
  target,
  within,
} from './target.ts';

const LONGEST_MILLISECONDS = 20_000;
const SUMS_ID = 's'.repeat(22);

export async function fileTargets(): Promise<Target[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-fuzz-'));
  const csvTask = madeUpProposal('lda', 2, [2]);
  const csv = ['f0,f1,label0\n0.5,-1,0\n1e-3,+0.25,1\n', '\ufefff1,f0,label0\r\n"1","-.5","1"\r\n\r\n0,0,0'];
  const sumsTask = madeUpProposal('lda', 2, [2]);
  // Two rows of class 0, (1, 0) and (0, 1) in units of 2^-fractionBits, and one of class 1.
  const ofClass = (k: number, rows: number, V: string, ...R: string[]) => ({
    ...{ ev_task: SUMS_ID, ev_total: 3, ev_class_1: k, ev_rows: rows, ev_cells: '0 0', ev_v: V },
    ...{ ev_r_1: R[0]!, ev_r_2: R[1]! },
  });
  const sums = [ofClass(0, 2, '1 1', '1 0', '1'), ofClass(1, 1, '-3 2', '9 -6', '4')];
  const sumsAsCsv = [Object.keys(sums[0]!), ...sums.map((it) => Object.values(it))].map(csvLine).join('\n');
  const file = (name: string) => join(folder, name);
  const setting = {
    dataDirectory: '/x',
    port: 1,
    requestsPerMinute: 10,
    allowBigintFallback: false,
    logLevel: 'info',
  };
  const policy = OwnerPolicy.parse({ maximumComponents: 3 });
  const template = encodeTemplate(makeTemplate([0.25, 1, -0.5].map((x) => Float64Array.of(x, x * x))));
  const sealer = new Sealer(new Uint8Array(32));
  const sealed = sealer.seal('a/b', Buffer.from('secret'));
  const ring = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64url')).join('\n');
  await writeFile(file('keys'), '', { mode: 0o600 });
  await mkdir(file('backup'));
  const { thumbprint } = await openSigningKey(file('restored'));
  const manifest = {
    format: 'eigenveil backup 1',
    service: 'csp',
    identity: thumbprint,
    time: '2026-01-01T00:00:00.000Z',
    schemaVersion: 1,
    files: { 'database.sqlite': { bytes: 1, sha256: 'a'.repeat(64) } },
    signature: 'e30.e30.AAAA',
  };
  const nothing = async () => undefined;
  return [
    target({
      name: 'CSV rows',
      weight: 8,
      inputs: fc.tuple(
        mutatedBytes(
          csv.map((text) => Buffer.from(text)),
          6,
        ),
        fc.integer({ min: 1, max: 64 }),
        fc.record<CsvOptions>(
          {
            separator: fc.constantFrom('comma', 'semicolon', 'tab'),
            decimal: fc.constantFrom('point', 'comma'),
            trim: fc.boolean(),
            numericLabels: fc.boolean(),
            missing: fc.constantFrom('error', 'skip'),
          },
          { requiredKeys: [] },
        ),
      ),
      describe: ([bytes, chunk, options]) =>
        `${asBase64(bytes)} in chunks of ${chunk} with ${JSON.stringify(options)}`,
      async check([bytes, chunk, options]) {
        async function* source() {
          for (let i = 0; i < bytes.length; i += chunk) yield bytes.subarray(i, i + chunk);
        }
        await attemptAsync(async () => {
          for await (const { values, classes } of readRows(source(), csvTask, options)) {
            if (!values.every(Number.isFinite) || values.length !== 2) throw new Fault('a row of no numbers');
            if (!classes.every((k) => k === 0 || k === 1)) throw new Fault('a class of no label');
          }
        });
      },
    }),
    target({
      name: 'templates of users',
      weight: 4,
      inputs: mutatedBytes([template]),
      describe: asBase64,
      check(bytes) {
        attempt(() => {
          const read = decodeTemplate(bytes);
          if (Buffer.compare(encodeTemplate(read), bytes) !== 0)
            throw new Fault('another template than the bytes say');
          // A spread that windows never have is noticed where it is used.
          const score = new Scorer(read, 'mahalanobis').score(Float64Array.from(read.mean, (x) => x / 2));
          if (!(score >= 0)) throw new Fault('a score that is none');
        }, expectTemplateCode);
      },
    }),
    target({
      name: 'sums of a database',
      weight: 4,
      inputs: fc.oneof(
        mutatedJson([sums], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes(
          [JSON.stringify(sums), `${sums.map((it) => JSON.stringify(it)).join('\n')}`, sumsAsCsv].map(
            (text) => Buffer.from(text),
          ),
          6,
        ),
      ),
      describe: asBase64,
      check(bytes) {
        attempt(() => {
          const { statistics, rows } = statisticsOfResult(bytes.toString(), sumsTask, SUMS_ID);
          const counted = statistics.labellings[0]!.reduce((sum, { M }) => sum + M, 0n);
          if (rows < 1 || counted !== BigInt(rows)) throw new Fault('rows that are not in a class');
        });
      },
    }),
    target({
      name: 'CSV files',
      weight: 1,
      inputs: fc.oneof(
        mutatedBytes(
          csv.map((text) => Buffer.from(text)),
          6,
        ).map((bytes) => ['rows.csv', bytes] as const),
        mutatedBytes([gzipSync(csv[0]!)]).map((bytes) => ['rows.csv.gz', bytes] as const),
      ),
      describe: ([name, bytes]) => `${name}: ${asBase64(bytes)}`,
      async check([name, bytes]) {
        await writeFile(file(name), bytes);
        await within(
          LONGEST_MILLISECONDS,
          attemptAsync(() => draftTask(file(name), { method: 'lda', labels: ['label0'], ignore: [] })),
        );
        await attemptAsync(async () => {
          for await (const _ of readRows(readFileBytes(file(name)), csvTask));
        });
      },
    }),
    target({
      name: 'configuration files',
      weight: 2,
      inputs: fc.oneof(
        mutatedJson([setting], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes([Buffer.from(JSON.stringify(setting))]),
      ),
      describe: asBase64,
      async check(bytes) {
        await writeFile(file('settings.json'), bytes);
        const command = new Command('fuzz').exitOverride();
        const configuration = addSettings(command, 'EIGENVEIL_FUZZ', SERVICE_SETTINGS);
        command.action(() => void attempt(configuration));
        await command.parseAsync(['node', 'fuzz', '--config', file('settings.json')]);
      },
    }),
    target({
      name: 'policy files',
      weight: 2,
      inputs: fc.oneof(
        mutatedJson([policy], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes([Buffer.from(JSON.stringify(policy))]),
      ),
      describe: asBase64,
      async check(bytes) {
        await writeFile(file('policy.json'), bytes);
        await attemptAsync(() => readJsonFile('--policy', file('policy.json'), OwnerPolicy));
      },
      close: () => rm(folder, { recursive: true, force: true }),
    }),
    target({
      name: 'key files',
      weight: 2,
      inputs: mutatedBytes([Buffer.from(ring)]),
      describe: asBase64,
      async check(bytes) {
        await writeFile(file('keys'), bytes);
        const keys = await attemptAsync(() => loadOrCreateKeyRing(file('keys')));
        if (keys?.some((key) => !Buffer.from(bytes).includes(Buffer.from(key).toString('base64url'))))
          throw new Fault('a key that the file does not hold');
      },
    }),
    target({
      name: 'manifests of backups',
      weight: 1,
      inputs: fc.oneof(
        mutatedJson([manifest], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes([Buffer.from(JSON.stringify(manifest))]),
      ),
      describe: asBase64,
      async check(bytes) {
        await writeFile(join(file('backup'), 'manifest.json'), bytes);
        const database = { service: 'csp', migrations: [], sealed: [] } as const;
        const rules = { ...database, prepare: nothing, finish: nothing };
        const restored = await attemptAsync(() => restoreBackup(rules, file('restored'), file('backup')));
        if (restored !== undefined) throw new Fault('an unsigned manifest');
      },
    }),
    target({
      name: 'sealed values',
      weight: 4,
      inputs: mutatedBytes([sealed]),
      describe: asBase64,
      check(bytes) {
        const opened = attempt(() => sealer.open('a/b', bytes));
        if (opened !== undefined && Buffer.compare(bytes, sealed) !== 0)
          throw new Fault('a forged sealed value');
      },
    }),
    target({
      name: 'messages of a stream',
      weight: 4,
      inputs: fc.array(mutatedBytes([streamExample()], 3), { maxLength: 4 }),
      describe: (frames) => `[${frames.map(asBase64).join(', ')}]`,
      async check(frames) {
        const [near, far] = memoryChannelPair();
        for (const frame of frames) await far.send(frame);
        const closed = far.close();
        const stream = new MessageStream(near);
        await within(
          LONGEST_MILLISECONDS,
          attemptAsync(async () => {
            for (const [type, length] of STREAM) await stream.read(type, length);
          }, expectServiceCode),
        );
        await near.close();
        await closed;
      },
    }),
  ];
}

/** Types and lengths of the messages that the stream's reader expects. */
const STREAM = [
  [1, 3],
  [2, 0],
  [1, 40],
  [7, 5],
] as const;

function streamExample(): Uint8Array {
  return Buffer.concat(
    STREAM.map(([type, length]) => {
      const message = Buffer.alloc(8 + length, type);
      message.writeUInt32LE(type, 0);
      message.writeUInt32LE(length, 4);
      return message;
    }),
  );
}

function expectTemplateCode(error: unknown): void {
  if (!isOf(AUTHENTICATION_CODES, error) || error.code !== 'ERR_TEMPLATE_INVALID')
    throw new Fault('an error that says nothing of the template', error);
}
