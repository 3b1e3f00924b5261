/** Faces through real services: a sketched PCA of owners' rows, and DCA on its components with ρ′ = 0 and above, each by its own two-party protocol. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basisFrom, type TaskClient } from '@eigenveil/data-user';
import { methodOf } from '@eigenveil/methods';
import { type Link, Projector } from '@eigenveil/projection';
import { basisFeatures, DAY_MILLISECONDS, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { withChildren } from '@eigenveil/testbed/processes/children';
import { checkComputable } from '@eigenveil/two-party';
import { AGREEMENT, claimedSigner, sketchSeed, verifyStatement } from '@eigenveil/wire';
import { demoPolicy, enrolOwners, type Owners, startOwners } from '../../demo/owners.ts';
import { startServices } from '../../demo/services.ts';
import { compute, contributionSize } from '../../demo/task.ts';
import type { Matrix } from '../span.ts';

/** Half of the range of grey levels: what 1 is in a task's units. */
export const HALF_RANGE = 127.5;
const LABEL = 'label';
const MILLISECONDS = 1000;

type TwoParty = Task['twoParty'];

interface Chain {
  /** Grey levels, of all rows. */
  readonly rows: readonly Float64Array[];
  readonly labels: readonly number[];
  /** The rows that owners have, dealt in turn. */
  readonly train: readonly number[];
  readonly owners: number;
  readonly keyBits: number;
  /** l of the sketch, and k of the PCA. */
  readonly columns: number;
  readonly components: number;
  /** ρ, for grey levels. */
  readonly ridge: number;
  /** ρ′ of the second DCA, above 0, for grey levels. */
  readonly signalRidge: number;
}

/** One task's result. */
interface Computed {
  /** All rows, reduced and centred, in grey levels (rows × components). */
  readonly reduced: Matrix;
  /** Mean over all rows of the length of what the projection's own inverse, from all components to pixels, does not give back, in grey levels. */
  readonly missing: number;
  readonly twoParty: TwoParty;
  /** The message by which `rotated` refuses the task, and `simulated` has computed it. */
  readonly refused: string | undefined;
  /** The time from the proposal to the result. */
  readonly seconds: number;
  /** The bytes that an owner sends. */
  readonly contributionBytes: number;
  readonly task: Task;
  /** The seed of Ω, which the CSP's nonce decides; undefined without a sketch. */
  readonly seed: Uint8Array | undefined;
}

interface ChainComputed {
  readonly pca: Computed;
  /** ρ′ = 0. */
  readonly dca: Computed;
  /** ρ′ > 0, on the same components. */
  readonly raised: Computed;
}

/** Starts a CSP, a data user and owners as processes, and takes all tasks from the proposal to the result. Nothing remains. */
export function throughServices(chain: Chain, note: (text: string) => void): Promise<ChainComputed> {
  return withChildren(async (children, folder) => {
    const { keyBits, owners: count } = chain;
    const silent = () => undefined;
    note('starting processes');
    const files = await dealt(chain, folder);
    // Its CSP takes `simulated`, too; each task says by what it is computed.
    const services = await startServices(children, { folder, keyBits, twoParty: 'simulated' }, silent);
    const owners = await startOwners(children, count, silent);
    const policy = demoPolicy(keyBits, 'rotated', 'simulated');
    await enrolOwners(owners, services, { folder, policy, more: (i) => ({ data: files[i]! }) }, silent);
    const run = new Run(services.client, owners, chain, note);
    try {
      const pca = await run.task('PCA', pcaProposal(chain), [LABEL]);
      const basis = await basisFrom(services.client, pca.computed.task.id);
      const dcaOf = async (name: string, signalRidge: number): Promise<Computed> => {
        const proposal = dcaProposal(chain, basis.digest, pca.computed.task, signalRidge);
        return (await run.task(name, proposal, [], [pca.link])).computed;
      };
      const dca = await dcaOf('DCA', 0);
      const raised = await dcaOf(`DCA, ρ′ = ${chain.signalRidge}`, chain.signalRidge);
      return { pca: pca.computed, dca, raised };
    } finally {
      await Promise.all([services.client.close(), owners.end()]);
    }
  });
}

class Run {
  readonly #client: TaskClient;
  readonly #owners: Owners;
  readonly #chain: Chain;
  readonly #note: (text: string) => void;

  constructor(client: TaskClient, owners: Owners, chain: Chain, note: (text: string) => void) {
    this.#client = client;
    this.#owners = owners;
    this.#chain = chain;
    this.#note = note;
  }

  async task(
    name: string,
    wanted: TaskProposal,
    ignore: readonly string[],
    basis: readonly Link[] = [],
  ): Promise<{ readonly computed: Computed; readonly link: Link }> {
    const refused = refusalOf(wanted);
    const proposal = refused === undefined ? wanted : { ...wanted, twoParty: 'simulated' as const };
    const started = performance.now();
    const { task } = await this.#client.create(proposal);
    this.#note(`${name}: owners encrypt and send`);
    await this.#owners.all(
      () => ({ kind: 'contribute', taskId: task.id, ignore }),
      () => undefined,
    );
    this.#note(`${name}: the servers compute`);
    await compute(
      this.#client,
      task.id,
      () => undefined,
      (text) => this.#note(`${name}: ${text}`),
    );
    const seconds = (performance.now() - started) / MILLISECONDS;
    const link: Link = { task, projection: await this.#client.result(task.id) };
    const projector = new Projector(task, link.projection, basis);
    const unit = [...basis.slice(1).map((it) => it.task), ...(basis.length > 0 ? [task] : [])].reduce(
      (product, { features }) => product * features[0]!.max,
      HALF_RANGE,
    );
    const { rows } = this.#chain;
    const transformed = projector.transform(rows);
    const reduced = transformed.map((row) => row.map((value) => value * unit));
    const missing = meanDistance(rows, projector.inverseTransform(transformed));
    const contributionBytes = contributionSize(task).bytes;
    const { agreement } = await this.#client.signed(task.id);
    const agreed = await verifyStatement(AGREEMENT, agreement, claimedSigner(AGREEMENT, agreement));
    const seed = task.sketch && sketchSeed(agreed);
    const { twoParty } = task;
    return {
      computed: { reduced, missing, twoParty, refused, seconds, contributionBytes, task, seed },
      link,
    };
  }
}

function meanDistance(rows: readonly Float64Array[], others: Matrix): number {
  const lengths = rows.map((row, i) =>
    Math.sqrt(row.reduce((sum, value, f) => sum + (value - others[i]![f]!) ** 2, 0)),
  );
  return lengths.reduce((sum, length) => sum + length, 0) / rows.length;
}

/** Returns the message by which `rotated` refuses a task; undefined where it computes it. */
export function refusalOf(proposal: TaskProposal): string | undefined {
  try {
    checkComputable(proposal);
    return undefined;
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined) throw error;
    return `${code}: ${message}`;
  }
}

type Numbers = Pick<Chain, 'owners' | 'keyBits' | 'train'>;

/** The terms that all tasks agree on. Owners contribute by DJN, since thousands of features take thousands of ciphertexts. */
const common = ({ owners, keyBits, train }: Numbers) => ({
  minimumOwners: owners,
  maximumOwners: owners,
  maximumSamplesPerOwner: Math.ceil(train.length / owners),
  keyBits,
  allowInsecureKey: keyBits < 2048,
  encryption: 'djn',
  twoParty: 'rotated',
  exact: true,
  allowFullRank: true,
  deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
});

/** Every pixel from 0 to 255, which are no ranges of the rows. */
export function pcaProposal(chain: Pick<Chain, 'rows' | 'columns' | 'components'> & Numbers): TaskProposal {
  const method = { kind: 'pca' } as const;
  const sketch = { columns: chain.columns };
  return TaskProposal.parse({
    ...common(chain),
    method,
    features: Array.from(chain.rows[0]!, (_, i) => ({
      name: pixel(i),
      min: 0,
      max: 2 * HALF_RANGE,
      twoValued: false,
    })),
    sketch,
    components: chain.components,
    outputs: methodOf({ method: method, sketch: sketch }).revealedByRotation,
  });
}

/** Enough for components whose range is that of the longest row that could be. */
const CHAIN_FRACTION_BITS = 18;

/**
 * DCA on the components of the first task, as many as `rotated` computes: with ρ′ = 0 no more than distinguish people. With ρ′ > 0 others
 * follow them, and the book's form has the study's vectors, since in the standard form ρ′ would be subtracted from ρ.
 */
export function dcaProposal(
  chain: Pick<Chain, 'labels' | 'ridge'> & Numbers,
  basis: string,
  first: Parameters<typeof basisFeatures>[0],
  signalRidge: number,
): TaskProposal {
  const features = basisFeatures(first);
  const square = (HALF_RANGE * features[0]!.max) ** 2;
  const ridges = { ridge: chain.ridge / square, signalRidge: signalRidge / square };
  const method = { kind: 'dca', form: signalRidge > 0 ? 'book' : 'standard', ...ridges } as const;
  const classes = [...new Set(chain.labels)].map(String);
  const proposal = TaskProposal.parse({
    ...common(chain),
    method,
    basis,
    features,
    labellings: [{ column: LABEL, classes }],
    components: signalRidge > 0 ? features.length : Math.min(classes.length - 1, features.length),
    fractionBits: CHAIN_FRACTION_BITS,
    outputs: [...methodOf({ method }).revealedByRotation, 'mean'],
  });
  const most = methodOf(programOf(proposal)).mostRotatedComponents(programOf(proposal), features.length);
  return { ...proposal, components: Math.min(proposal.components, most) };
}

const pixel = (i: number) => `pixel_${i}`;

/** A file for each owner, with the rows that it has. */
function dealt({ rows, labels, train, owners }: Chain, folder: string): Promise<string[]> {
  const header = [...Array.from(rows[0]!, (_, i) => pixel(i)), LABEL].join(',');
  return Promise.all(
    Array.from({ length: owners }, async (_, owner) => {
      const own = train.filter((_, i) => i % owners === owner);
      const file = join(folder, `rows-${owner + 1}.csv`);
      const lines = own.map((row) => [...rows[row]!, labels[row]!].join(','));
      await writeFile(file, `${[header, ...lines].join('\n')}\n`);
      return file;
    }),
  );
}
