/** The settings with which a CSP and a data user that know each other run on loopback within one process: for tests and experiments that look inside. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CspConfiguration } from '@eigenveil/csp';
import { DATA_USER_SETTINGS, type DataUserConfiguration } from '@eigenveil/data-user';
import { createLocalCertificate, openSigningKey } from '@eigenveil/server';
import { freePort } from '@eigenveil/testbed/port';
import type { Thumbprint } from '@eigenveil/wire';

export interface LoopbackOptions {
  readonly csp?: Partial<CspConfiguration>;
  readonly dataUser?: Partial<DataUserConfiguration>;
}

export interface Loopback {
  readonly csp: CspConfiguration;
  readonly dataUser: DataUserConfiguration;
  readonly cspThumbprint: Thumbprint;
  /** The certificate of both, and its key. */
  readonly tls: { readonly cert: string; readonly key: string };
}

/** The certificate of all servers on loopback in this process. */
let certificate: ReturnType<typeof createLocalCertificate> | undefined;

/** Ports and keys of their own, all in `folder`; peers' limits that one process would meet are out of the way. */
export async function loopback(folder: string, options: LoopbackOptions = {}): Promise<Loopback> {
  certificate ??= createLocalCertificate();
  const tls = await certificate;
  const common = {
    host: '127.0.0.1',
    publicUrl: undefined,
    keyEncryptionKey: undefined,
    tlsCertificate: join(folder, 'cert.pem'),
    tlsKey: join(folder, 'key.pem'),
    threads: 0,
    requestsPerMinute: 1_000_000,
    connectionsPerAddress: 1000,
    logPeers: 'address',
    traceEndpoint: undefined,
    logLevel: 'silent',
    allowBigintFallback: false,
    allowedOrigins: [],
  } satisfies Partial<CspConfiguration> & Partial<DataUserConfiguration>;
  await writeFile(common.tlsCertificate, tls.cert);
  await writeFile(common.tlsKey, tls.key);
  const cspFolder = join(folder, 'csp');
  const dataUserFolder = join(folder, 'data-user');
  const cspIdentity = await openSigningKey(cspFolder);
  const dataUserIdentity = await openSigningKey(dataUserFolder);
  const csp: CspConfiguration = {
    ...common,
    dataDirectory: cspFolder,
    port: await freePort(),
    minimumOwners: 2,
    ownerTokenDays: 1,
    answersPerTask: 3,
    openTasks: 1000,
    tasksPerDay: 1000,
    quotas: {},
    computationsPerMinute: 1_000_000,
    retentionDays: 30,
    allowSimulated: true,
    allowInsecureKeys: true,
    allowFullRank: true,
    ...options.csp,
    dataUsers: [dataUserIdentity.thumbprint, ...(options.csp?.dataUsers ?? [])],
  };
  const dataUser: DataUserConfiguration = {
    ...common,
    dataDirectory: dataUserFolder,
    port: await freePort(),
    cspUrl: `https://127.0.0.1:${csp.port}`,
    cspThumbprint: cspIdentity.thumbprint,
    cspCa: common.tlsCertificate,
    cspPatienceSeconds: 2,
    answerMilliseconds: 20,
    retentionDays: 30,
    databaseUrl: undefined,
    databaseAnswerSeconds: DATA_USER_SETTINGS.databaseAnswerSeconds.default,
    databaseLockSeconds: DATA_USER_SETTINGS.databaseLockSeconds.default,
    jobHeartbeatSeconds: DATA_USER_SETTINGS.jobHeartbeatSeconds.default,
    jobNoticeSeconds: DATA_USER_SETTINGS.jobNoticeSeconds.default,
    ...options.dataUser,
  };
  return { csp, dataUser, cspThumbprint: cspIdentity.thumbprint, tls };
}
