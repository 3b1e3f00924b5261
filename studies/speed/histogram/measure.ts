/** One histogram task from its proposal to the signed result, by services and owners as processes of their own, and what each part of it takes. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { draftPrivacy } from '@eigenveil/data-user';
import { draftedMethod, sumsOf } from '@eigenveil/methods';
import { DAY_MILLISECONDS, TaskProposal } from '@eigenveil/task';
import { withChildren } from '@eigenveil/testbed/processes/children';
import { usageOf } from '@eigenveil/testbed/processes/process-usage';
import { generator } from '@eigenveil/testbed/random';
import { sumsPace } from '@eigenveil/two-party/insides';
import { demoPolicy, enrolOwners, startOwners } from '../../demo/owners.ts';
import { startServices } from '../../demo/services.ts';
import { compute, contributionSize } from '../../demo/task.ts';

export interface HistogramCase {
  readonly features: number;
  /** h, of 2^h bins for each feature. */
  readonly height: number;
  readonly owners: number;
  readonly rowsPerOwner: number;
}

interface HistogramMeasured extends HistogramCase {
  /** Numbers that take noise. */
  readonly sums: number;
  /** The time from the proposal to the countersigned result. */
  readonly seconds: number;
  /** The part of it until every owner has its receipt: all of them count, encrypt and send at once. */
  readonly contributeSeconds: number;
  /** The part of it from closing to the result. */
  readonly computeSeconds: number;
  /** The part of that which the data user waits in any case, by sizes that everybody knows. */
  readonly publicWaitSeconds: number;
  readonly ciphertexts: number;
  /** The bytes that each owner sends. */
  readonly contributionBytes: number;
  /** The peak since the start of the CSP. */
  readonly cspPeakMemoryBytes: number;
  readonly dataUserPeakMemoryBytes: number;
}

const KEY_BITS = 2048;
const MILLISECONDS = 1000;
const SEED = 24;
const LIMIT = 1000;

/** With ε = 1, δ = 10^−6, and the strategy that a draft takes for quantiles. */
async function histogramProposal({
  features,
  height,
  owners,
  rowsPerOwner,
}: HistogramCase): Promise<TaskProposal> {
  const named = Array.from({ length: features }, (_, i) => ({ name: `x${i + 1}`, min: -LIMIT, max: LIMIT }));
  const wanted = { features: named, epsilon: 1, delta: 1e-6 };
  return TaskProposal.parse({
    ...(await draftedMethod('histogram', { height }, { ...wanted, components: 0, ridge: 1 })),
    ...draftPrivacy({ ...wanted, clippingNorm: () => null }, false),
    ...{ labellings: [], components: 0, twoParty: 'linear' },
    minimumOwners: owners,
    maximumOwners: owners,
    maximumSamplesPerOwner: rowsPerOwner,
    keyBits: KEY_BITS,
    encryption: 'djn',
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
  });
}

/** Rows are made up from a seed. Nothing remains. */
export function measureHistogram(size: HistogramCase): Promise<HistogramMeasured> {
  return withChildren(async (children, folder) => {
    const silent = () => undefined;
    const files = await writeRows(size, folder);
    const services = await startServices(children, { folder, keyBits: KEY_BITS, twoParty: 'linear' }, silent);
    const owners = await startOwners(children, size.owners, silent);
    try {
      const policy = demoPolicy(KEY_BITS, 'linear');
      await enrolOwners(owners, services, { folder, policy, more: (i) => ({ data: files[i]! }) }, silent);
      const started = performance.now();
      const { task } = await services.client.create(await histogramProposal(size));
      await owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore: [] }), silent);
      const contributed = performance.now();
      await compute(services.client, task.id, silent, silent);
      const ended = performance.now();
      const [csp, dataUser] = await Promise.all(
        [services.csp.pid, services.dataUser.pid].map((pid) => usageOf(pid)),
      );
      const { plaintexts, bytes } = contributionSize(task);
      const sums = sumsOf(task);
      return {
        ...size,
        sums,
        seconds: (ended - started) / MILLISECONDS,
        contributeSeconds: (contributed - started) / MILLISECONDS,
        computeSeconds: (ended - contributed) / MILLISECONDS,
        publicWaitSeconds: sumsPace(sums) / MILLISECONDS,
        ciphertexts: plaintexts,
        contributionBytes: bytes,
        cspPeakMemoryBytes: csp!.peakMemoryBytes,
        dataUserPeakMemoryBytes: dataUser!.peakMemoryBytes,
      };
    } finally {
      await Promise.all([services.client.close(), owners.end()]);
    }
  });
}

/** A file for each owner; columns differ in where their values lie. */
async function writeRows({ features, owners, rowsPerOwner }: HistogramCase, folder: string) {
  const next = generator(SEED);
  const header = Array.from({ length: features }, (_, i) => `x${i + 1}`).join(',');
  const files = Array.from({ length: owners }, (_, i) => join(folder, `rows-${i + 1}.csv`));
  for (const file of files) {
    const lines = Array.from({ length: rowsPerOwner }, () =>
      Array.from({ length: features }, (_, i) => ((next() + next() - 1) * (10 + 10 * i)).toFixed(3)).join(),
    );
    await writeFile(file, `${[header, ...lines].join('\n')}\n`);
  }
  return files;
}
