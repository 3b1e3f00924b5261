/**
 * A data user in a program: opens a task at its service, waits for the owners, and computes and keeps the projection.
 *
 *   USER_URL=… USER_ADMIN_TOKEN=… npx node examples/run-task.ts evidence.json
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { saveProjection, TaskClient, TaskProposal } from '@eigenveil/data-user/client';

const { USER_URL = '', USER_ADMIN_TOKEN = '' } = process.env;
const client = new TaskClient({ url: USER_URL, adminToken: USER_ADMIN_TOKEN });
const signed = await client.create(
  TaskProposal.parse({
    method: { kind: 'pca' },
    features: [
      { name: 'temperature', min: -20, max: 40, grain: 0.1 },
      { name: 'humidity', min: 0, max: 100, grain: 1 },
      { name: 'pressure', min: 950, max: 1050, grain: 0.1 },
      { name: 'wind', min: 0, max: 60, grain: 0.1 },
    ],
    components: 1,
    outputs: ['mean'],
    minimumOwners: 2,
    maximumOwners: 50,
    maximumSamplesPerOwner: 10_000,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  }),
);
const { id, minimumOwners } = signed.task;
console.log(id); // for the owners
while ((await client.status(id)).contributions < minimumOwners) await sleep(500);
await client.closeTask(id);
const { failure } = await client.untilFinal(id);
if (failure !== undefined) throw new Error(`${failure.code}: ${failure.message}`);
await saveProjection(process.argv[2] ?? 'evidence.json', { ...signed, ...(await client.signedResult(id)) });
console.log(JSON.stringify((await client.result(id)).vectors));
await client.close();
