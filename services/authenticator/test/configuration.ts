/** The settings of an authenticator on loopback in a folder of its own, with no limit that a test comes near. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalCertificate } from '@eigenveil/server';
import { generatePrivateJwk, importSigningKey, type SigningKey } from '@eigenveil/wire';
import type { AuthenticatorConfiguration } from '../src/index.ts';

export const newKey = async (): Promise<SigningKey> => importSigningKey(await generatePrivateJwk());

/** Where a service can run: a folder, a certificate for loopback, the key of its relying application, and settings with all of these. */
export interface Place {
  readonly folder: string;
  readonly tls: Awaited<ReturnType<typeof createLocalCertificate>>;
  readonly relying: SigningKey;
  readonly config: AuthenticatorConfiguration;
}

/** Makes one; whoever has it removes the folder. */
export async function newPlace(
  settings: Pick<AuthenticatorConfiguration, 'projections'> & Partial<AuthenticatorConfiguration>,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-authenticator-'));
  const tls = await createLocalCertificate();
  const relying = await newKey();
  const config: AuthenticatorConfiguration = {
    dataDirectory: join(folder, 'service'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    tlsCertificate: join(folder, 'cert.pem'),
    tlsKey: join(folder, 'key.pem'),
    keyEncryptionKey: undefined,
    requestsPerMinute: 1_000_000,
    connectionsPerAddress: 1000,
    logPeers: 'address',
    traceEndpoint: undefined,
    logLevel: 'silent',
    relyingApplications: [relying.thumbprint],
    enrolmentWindows: 20,
    invitationHours: 1,
    windowsPerMinute: 100_000,
    sessionsPerHour: 1000,
    stepUpsPerDay: 1000,
    idleSeconds: 300,
    activeSessions: 1000,
    eventDays: 30,
    learnAfterStepUp: 50,
    learnAfterRun: 200,
    learningShare: 0.1,
    driftLevel: 0.01,
    driftAlarm: 0.01,
    webhookUrl: undefined,
    webhookCa: undefined,
    ...settings,
  };
  await writeFile(config.tlsCertificate, tls.cert);
  await writeFile(config.tlsKey, tls.key);
  return { folder, tls, relying, config };
}
