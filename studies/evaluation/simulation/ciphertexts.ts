/** Ciphertexts, with the key and without: the data user's view of contributions, and what randomisers tell the CSP. */
import {
  add,
  type Ciphertext,
  decodeCiphertexts,
  type Packing,
  PaillierPool,
  type PublicKey,
  packBlinding,
} from '@eigenveil/paillier';
import { contribute } from '@eigenveil/protocol/owner';
import { blind, draw } from '@eigenveil/protocol/servers';
import { flatten, layout } from '@eigenveil/statistics';
import { RandomBits } from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import type { Scene } from '../scene.ts';
import { KEY_BITS, keyOf, simulatedSlots } from './blinded-slots.ts';
import { drawnOwners, OWNERS, omitsSmall, type SmallTask, smallTask } from './inputs.ts';
import { named, once, type Planted, party } from './party.ts';

export const FEATURES = 3;

interface World {
  readonly small: SmallTask;
  readonly packing: Packing;
  readonly publicKey: PublicKey;
  readonly pool: PaillierPool;
}

export async function worldOf(scene: Scene): Promise<World> {
  const whole = smallTask(scene, { features: FEATURES, components: 1, twoParty: 'garbled' });
  const small = { ...whole, task: { ...whole.task, keyBits: KEY_BITS, encryption: 'standard' as const } };
  const { publicKey } = await keyOf();
  return { small, publicKey, packing: layout(small.task), pool: new PaillierPool({ threads: 0 }) };
}

/** One contribution of each owner, by the owner's real code, over rows that are drawn. */
export async function contributions(
  { small, packing, publicKey, pool }: World,
  draws: Draws,
): Promise<Ciphertext[][]> {
  const under = { task: small.task, publicKey, packing };
  const by = { paillier: pool, randomness: draws.of('noise').source };
  return Promise.all(
    drawnOwners(small, draws.of('rows')).map(async (statistics) =>
      decodeCiphertexts(
        publicKey,
        await contribute(under, flatten(small.task, statistics), by),
        packing.plaintexts.length,
      ),
    ),
  );
}

/** The part that the randomiser leaves in a ciphertext, (1 + m n) rⁿ mod n² = rⁿ mod n. */
const traceOf = (c: bigint, { n }: PublicKey) => c % n;

const place = (x: bigint, range: bigint) => Number((x << 53n) / range) * 2 ** -53;

const LEAST_SHARED = { sizes: [0.05, 0.1, 0.2, 0.4, 1] } as const;

export const contributionsAtDataUser = party({
  id: 'data-user-contributions',
  attacker: 'data user',
  secret: 'statistics of an owner',
  claims: ['S-8'],
  leaks: [
    {
      id: 'reused',
      title: "contributions have the first owner's randomisers.",
      size: 'share of contributions with them',
      ...LEAST_SHARED,
    },
    {
      id: 'bare',
      title: 'ciphertexts have no randomiser.',
      size: 'share of ciphertexts without',
      ...LEAST_SHARED,
    },
  ],
  runs: { quick: 20, full: 40 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  async open(scene) {
    const world = await worldOf(scene);
    return { ...world, run: once((draws) => contributions(world, draws)) };
  },
  async real({ run, publicKey }, draws, planted) {
    return spoilt(await run(draws), publicKey, draws.of('leak'), planted);
  },
  simulated({ publicKey, packing, pool }) {
    const zeros = Array.from(packing.plaintexts, () => 0n);
    return Promise.all(Array.from({ length: OWNERS }, () => pool.encrypt(publicKey, zeros, 'standard')));
  },
  features({ publicKey }, all: readonly (readonly Ciphertext[])[]) {
    const traces = all.flat().map((c) => traceOf(c, publicKey));
    return {
      ...named(
        all.map(([c]) => place(c!, publicKey.nSquared)),
        (o) => `ciphertext of owner ${o + 1}`,
      ),
      ...named(
        all.map(([c]) => place(traceOf(c!, publicKey), publicKey.n)),
        (o) => `randomiser of owner ${o + 1}`,
      ),
      'lowest bits': all.flat().reduce((sum, c) => sum + Number(c & 0xffn), 0),
      'pairs of ciphertexts with one randomiser': traces.length - new Set(traces).size,
      'ciphertexts without a randomiser': traces.filter((trace) => trace === 1n).length,
      ciphertexts: traces.length,
    };
  },
});

/** Another plaintext under the first owner's randomiser is its ciphertext times a power of 1 + n. */
function spoilt(
  all: readonly (readonly Ciphertext[])[],
  { n, nSquared }: PublicKey,
  draws: Draws,
  planted: Planted | undefined,
): Ciphertext[][] {
  return all.map((own, o) => {
    if (planted?.leak === 'reused' && o > 0 && draws.uniform() < planted.size)
      return all[0]!.map((c) => ((c * (1n + BigInt(draws.below(1 << 20)) * n)) % nSquared) as Ciphertext);
    return own.map((c) =>
      planted?.leak === 'bare' && draws.uniform() < planted.size
        ? ((1n + BigInt(draws.below(1 << 20)) * n) as Ciphertext)
        : c,
    );
  });
}

interface Blinded {
  readonly aggregate: readonly Ciphertext[];
  readonly blinded: readonly Ciphertext[];
}

const aggregateOf = ({ publicKey }: World, all: readonly (readonly Ciphertext[])[]) =>
  all.reduce<Ciphertext[]>(
    (sum, own) => sum.map((c, i) => add(publicKey, c, own[i]!)),
    all[0]!.map(() => 1n as Ciphertext),
  );

export const randomisersAtCsp = party({
  id: 'csp-randomisers',
  attacker: 'CSP',
  secret: 'statistics of an owner',
  claims: ['S-72'],
  leaks: [
    {
      id: 'not-rerandomised',
      title: 'blinding is added without a randomiser of its own.',
      size: 'share of ciphertexts without one',
      ...LEAST_SHARED,
    },
  ],
  runs: { quick: 16, full: 40 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  async open(scene) {
    const world = await worldOf(scene);
    const { small, packing, publicKey, pool } = world;
    const run = once(async (draws): Promise<Blinded> => {
      const aggregate = aggregateOf(world, await contributions(world, draws));
      const drawn = draw({ task: small.task, packing }, draws.of('run').source);
      const bytes = await blind({ publicKey, packing }, aggregate, drawn, pool);
      return { aggregate, blinded: await decodeCiphertexts(publicKey, bytes, packing.plaintexts.length) };
    });
    return { ...world, run };
  },
  async real({ run, publicKey }, draws, planted) {
    const { aggregate, blinded } = await run(draws);
    const leaks = draws.of('leak');
    const bare = (i: number) =>
      add(publicKey, aggregate[i]!, (1n + BigInt(leaks.below(1 << 20)) * publicKey.n) as Ciphertext);
    const isBare = () => planted !== undefined && leaks.uniform() < planted.size;
    return { aggregate, blinded: blinded.map((c, i) => (isBare() ? bare(i) : c)) };
  },
  async simulated(world, draws) {
    const { packing, publicKey, pool } = world;
    const slots = simulatedSlots(packing, new RandomBits(draws.of('run').source));
    const plaintexts = packBlinding(publicKey, packing, slots);
    return {
      blinded: await pool.encrypt(publicKey, plaintexts, 'standard'),
      aggregate: aggregateOf(world, await contributions(world, draws)),
    };
  },
  features({ publicKey }, { aggregate, blinded }: Blinded) {
    const traces = blinded.map((c) => traceOf(c, publicKey));
    return {
      'first randomiser': place(traces[0]!, publicKey.n),
      'ciphertexts with the randomiser of a product of contributions': traces.filter(
        (trace, i) => trace === traceOf(aggregate[i]!, publicKey),
      ).length,
      'ciphertexts without a randomiser': traces.filter((trace) => trace === 1n).length,
      'lowest bits': blinded.reduce((sum, c) => sum + Number(c & 0xffn), 0),
      ciphertexts: blinded.length,
    };
  },
});
