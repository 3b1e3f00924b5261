/** The game of what the CSP reads from the blinded aggregate, against slots that nobody's data went into. */
import {
  drawBlinding,
  type Packing,
  PaillierPool,
  type PublicKey,
  pack,
  packBlinding,
  unpackBlinded,
} from '@eigenveil/paillier';
import { flatten, layout } from '@eigenveil/statistics';
import { RandomBits } from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { drawnStatistics, omitsSmall, type SmallTask, smallTask } from './inputs.ts';
import { named, type Planted, party } from './party.ts';

const FEATURES = 4;
/** The bits of the key under which these tasks are packed, and encrypted where they are: only its form counts here. */
export const KEY_BITS = 1024;
const LOW_BITS = 8;

/** An insecure key of the task's length, for experiments. */
export function keyOf() {
  return new PaillierPool({ threads: 0 }).generateKeyPair({
    bits: KEY_BITS,
    scheme: 'standard',
    allowInsecureKey: true,
  });
}

interface World {
  readonly small: SmallTask;
  readonly packing: Packing;
  readonly publicKey: PublicKey;
}

/** Slots, and the statistics of their rows. */
interface View {
  readonly values: readonly bigint[];
  readonly slots: readonly bigint[];
}

const statisticsFor = ({ small }: World, draws: Draws) =>
  flatten(small.task, drawnStatistics(small, draws.of('rows')));

export const blindedSlots = party({
  id: 'csp-slots',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-11', 'S-13', 'S-72'],
  leaks: [
    {
      id: 'range',
      title: 'the blinding is drawn from a smaller range.',
      size: 'share of the range that is missing',
      sizes: [0.005, 0.01, 0.02, 0.05, 0.5],
    },
    {
      id: 'low-bits',
      title: `the lowest ${LOW_BITS} bits of some blinding values are zeros.`,
      size: 'share of slots with such a value',
      sizes: [0.005, 0.01, 0.02, 0.05, 1],
    },
    {
      id: 'reused',
      title: 'a blinding value serves two slots.',
      size: 'share of slots with the value of the slot before',
      sizes: [0.01, 0.02, 0.05, 0.1, 1],
    },
  ],
  runs: { quick: 60, full: 150 },
  controlRuns: 30,
  repetitions: 20,
  scenes: ['pima', 'ionosphere'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  async open(scene): Promise<World> {
    const small = smallTask(scene, { features: FEATURES, components: 2, twoParty: 'garbled' });
    const { publicKey } = await keyOf();
    return { small, publicKey, packing: layout({ ...small.task, keyBits: KEY_BITS }) };
  },
  real(world, draws, planted): View {
    const { packing, publicKey } = world;
    const values = statisticsFor(world, draws);
    const drawn = [...drawBlinding(packing, draws.of('run').source)];
    const blinding = spoilt(drawn, packing, draws.of('leak'), planted);
    return { values, slots: blinded(publicKey, packing, values, blinding) };
  },
  simulated: (world, draws) => ({
    slots: simulatedSlots(world.packing, new RandomBits(draws.of('run').source)),
    values: statisticsFor(world, draws),
  }),
  features({ packing: { valueBits, blindingBits } }, { values, slots }) {
    const random = slots.map((slot, i) => slot - (1n << BigInt(valueBits[i]! - 1)));
    const places = random.map((part, i) => Number(part) * 2 ** -blindingBits[i]!);
    const sizes = values.map((value, i) => Number(value) * 2 ** -valueBits[i]!);
    const bitsOf = (x: bigint) => (x < 0n ? -x : x).toString(2).length;
    const mask = (1n << BigInt(LOW_BITS)) - 1n;
    return {
      ...named(places, (i) => `slot ${i + 1}`),
      'largest slot': Math.max(...places),
      'smallest slot': Math.min(...places),
      'sum of slots': places.reduce((sum, place) => sum + place, 0),
      'inner product of slots and statistics': places.reduce(
        (sum, place, i) => sum + (place - 0.5) * sizes[i]!,
        0,
      ),
      'least distance of a slot from its statistic, in bits': Math.min(
        ...random.map((part, i) => bitsOf(part - values[i]!) - blindingBits[i]!),
      ),
      'least distance of two slots, in bits': Math.min(
        ...random.slice(1).map((part, i) => {
          const more = blindingBits[i]! - blindingBits[i + 1]!;
          return bitsOf((more > 0 ? part << BigInt(more) : part) - random[i]!) - blindingBits[i]!;
        }),
      ),
      'lowest bits that are those of the statistic': random.filter(
        (part, i) => ((part ^ values[i]!) & mask) === 0n,
      ).length,
    };
  },
});

/** Returns the slots as the CSP unpacks them after decryption. */
function blinded(
  publicKey: PublicKey,
  packing: Packing,
  values: readonly bigint[],
  blinding: readonly bigint[],
): bigint[] {
  const packed = pack(publicKey, packing, values);
  const addends = packBlinding(publicKey, packing, blinding);
  return unpackBlinded(
    packing,
    packed.map((plaintext, i) => (plaintext + addends[i]!) % publicKey.n),
  );
}

/** Uniform in the range of the blinding. */
export function simulatedSlots({ valueBits, blindingBits }: Packing, random: RandomBits): bigint[] {
  return valueBits.map((bits, i) => (1n << BigInt(bits - 1)) + random.integer(blindingBits[i]!));
}

function spoilt(
  blinding: readonly bigint[],
  { valueBits, blindingBits }: Packing,
  draws: Draws,
  planted: Planted | undefined,
): bigint[] {
  const own = blinding.map((value, i) => value - (1n << BigInt(valueBits[i]! - 1)));
  const size = planted?.size ?? 0;
  const hit = () => draws.uniform() < size;
  if (planted?.leak === 'reused') {
    for (let i = 1; i < own.length; i += 1) {
      if (hit()) own[i] = BigInt.asUintN(blindingBits[i]!, own[i - 1]!);
    }
  }
  const changed = own.map((value) => {
    if (planted?.leak === 'range') return (value * BigInt(Math.round(2 ** 30 * (1 - size)))) >> 30n;
    if (planted?.leak === 'low-bits' && hit()) return (value >> BigInt(LOW_BITS)) << BigInt(LOW_BITS);
    return value;
  });
  return changed.map((value, i) => value + (1n << BigInt(valueBits[i]! - 1)));
}
