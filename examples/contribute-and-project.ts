/**
 * A data owner in a program: contributes rows from memory to a task, waits for the projection, and projects a stream of rows.
 *
 *   CSP_URL=… CSP_THUMBPRINT=… OWNER_TOKEN=… USER_URL=… npx node examples/contribute-and-project.ts TASK < readings.jsonl
 */
import { createInterface } from 'node:readline';
import {
  DataOwner,
  MemoryOwnerState,
  OwnerPolicy,
  PaillierPool,
  Projector,
  RowAccumulator,
  TaskId,
  Thumbprint,
} from '@eigenveil/data-owner';

type Reading = Readonly<Record<string, number>>;
const { CSP_URL = '', CSP_THUMBPRINT = '', OWNER_TOKEN = '', USER_URL = '' } = process.env;
/** Made up for the example; yours come from sensors, a queue, a database. */
const readings: Reading[] = Array.from({ length: 100 }, (_, hour) => ({
  temperature: 15 + 9 * Math.sin(hour / 4),
  humidity: 60 - 25 * Math.sin(hour / 4 + 0.3),
  pressure: 1013 + 12 * Math.cos(hour / 9),
  wind: 8 + 7 * Math.sin(hour / 2.5),
}));
/** A row in the task's order; what a reading lacks is refused as no finite number. */
const rowOf = (names: readonly string[], reading: Reading) =>
  names.map((name) => reading[name] ?? Number.NaN);

const owner = new DataOwner({
  state: new MemoryOwnerState(), // an OwnerHome to survive a restart, and for tasks under differential privacy
  policy: OwnerPolicy.parse({ minimumOwners: 2 }),
  paillier: new PaillierPool({ threads: 0 }),
});
await owner.enrol({ url: CSP_URL }, OWNER_TOKEN, Thumbprint.parse(CSP_THUMBPRINT));
const dataUser = { url: USER_URL };
const taskId = TaskId.parse(process.argv[2]);
await owner.contribute(dataUser, taskId, async (agreed, signs) => {
  const accumulator = new RowAccumulator(agreed, signs); // signs: of a sketch
  const names = agreed.features.map(({ name }) => name);
  for (const reading of readings) accumulator.add(rowOf(names, reading));
  return { ...accumulator.statistics(), grains: accumulator.grains() };
});
const { task, projection } = await owner.result(dataUser, taskId, { milliseconds: 3_600_000 });
const projector = new Projector(task, projection);
for await (const line of createInterface({ input: process.stdin })) {
  const [reduced] = projector.transform([rowOf(projector.featureNames, JSON.parse(line) as Reading)]);
  console.log(JSON.stringify(reduced));
}
