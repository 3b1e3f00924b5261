/**
 * A device in a program: enrols with an invitation the first time, and then sends what its user does, row by row, from standard input.
 *
 *   HOME_FOLDER=… SERVICE_URL=… [INVITATION=… CSP_THUMBPRINT=… ENROLMENT=rows.json] npx node examples/authentication-device.ts evidence.json < readings.jsonl
 */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { DeviceClient, DeviceHome, SignedProjection, Thumbprint } from '@eigenveil/authenticator/device';

const { HOME_FOLDER = '', SERVICE_URL = '', INVITATION, CSP_THUMBPRINT = '', ENROLMENT = '' } = process.env;
type Reading = Readonly<Record<string, number>>;
const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
/** A row in the projection's order; what a reading lacks is refused as no finite number. */
const rowOf = (names: readonly string[], reading: Reading) =>
  names.map((name) => reading[name] ?? Number.NaN);

// The folder holds the device's key and its frame: nobody else may read it, and no backup should.
const device = new DeviceClient({ home: new DeviceHome(HOME_FOLDER), patienceMilliseconds: 30_000 });
if (INVITATION !== undefined) {
  const evidence = SignedProjection.parse(await json(process.argv[2] ?? 'evidence.json'));
  const names = evidence.task.features.map(({ name }) => name);
  const readings = (await json(ENROLMENT)) as Reading[];
  const { userId } = await device.enrol(
    {
      service: { url: SERVICE_URL },
      token: INVITATION,
      evidence, // checked against the CSP's thumbprint before a row is reduced
      csp: Thumbprint.parse(CSP_THUMBPRINT),
    },
    readings.map((reading) => rowOf(names, reading)),
  );
  console.log(`enrolled as ${userId}`);
}
const { featureNames } = await device.projector();
for await (const line of createInterface({ input: process.stdin }))
  await device.observe([rowOf(featureNames, JSON.parse(line) as Reading)]);
await device.close();
