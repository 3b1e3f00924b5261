/** What the CSP reads from the blinded aggregate, against slots that nobody's data went into. */
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
import type { Game } from './game.ts';
import { drawnStatistics, omitsSmall, smallTask } from './inputs.ts';
import type { Planted } from './sides.ts';

const FEATURES = 4;
const SLOTS = (FEATURES * (FEATURES + 1)) / 2 + FEATURES + 2;
/** Of the key under which these tasks are packed, and encrypted where they are: only its form counts here. */
export const KEY_BITS = 1024;
const LOW_BITS = 8;

const VALUES = [
  ...Array.from({ length: SLOTS }, (_, i) => `slot ${i + 1}`),
  'largest slot',
  'smallest slot',
  'sum of slots',
  'inner product of slots and statistics',
  'least distance of a slot from its statistic, in bits',
  'least distance of two slots, in bits',
  'lowest bits that are those of the statistic',
];

/** An insecure key of the task's length, for experiments. */
export function keyOf() {
  return new PaillierPool({ threads: 0 }).generateKeyPair({
    bits: KEY_BITS,
    scheme: 'standard',
    allowInsecureKey: true,
  });
}

export const blindedSlots: Game = {
  id: 'csp-slots',
  title: 'What the CSP decrypts is as good as random numbers.',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-11', 'S-13', 'S-72'],
  sees: 'Every slot of the blinded aggregate, packed and unpacked by the real code, of a PCA of 4 features. Encryption is left out: it is exact.',
  knows: 'The statistics themselves: it tries to find them in the slots.',
  simulator: 'the widths of the slots',
  values: VALUES,
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
  async open(scene) {
    const small = smallTask(scene, { features: FEATURES, components: 2, twoParty: 'garbled' });
    const packing = layout({ ...small.task, keyBits: KEY_BITS });
    const { publicKey } = await keyOf();
    const statisticsFor = (draws: Draws) => flatten(small.task, drawnStatistics(small, draws.of('rows')));
    return {
      real(draws, planted) {
        const values = statisticsFor(draws);
        const blinding = spoilt(
          [...drawBlinding(packing, draws.of('run').source)],
          packing,
          draws.of('leak'),
          planted,
        );
        return summedUp(packing, values, blinded(publicKey, packing, values, blinding));
      },
      simulated(draws) {
        const slots = simulatedSlots(packing, new RandomBits(draws.of('run').source));
        return summedUp(packing, statisticsFor(draws), slots);
      },
    };
  },
};

/** As the CSP unpacks them after decryption. */
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

function summedUp(
  { valueBits, blindingBits }: Packing,
  values: readonly bigint[],
  slots: readonly bigint[],
): number[] {
  const random = slots.map((slot, i) => slot - (1n << BigInt(valueBits[i]! - 1)));
  const places = random.map((part, i) => Number(part) * 2 ** -blindingBits[i]!);
  const sizes = values.map((value, i) => Number(value) * 2 ** -valueBits[i]!);
  const bitsOf = (x: bigint) => (x < 0n ? -x : x).toString(2).length;
  const mask = (1n << BigInt(LOW_BITS)) - 1n;
  return [
    ...places,
    Math.max(...places),
    Math.min(...places),
    places.reduce((sum, place) => sum + place, 0),
    places.reduce((sum, place, i) => sum + (place - 0.5) * sizes[i]!, 0),
    Math.min(...random.map((part, i) => bitsOf(part - values[i]!) - blindingBits[i]!)),
    Math.min(
      ...random.slice(1).map((part, i) => {
        const more = blindingBits[i]! - blindingBits[i + 1]!;
        return bitsOf((more > 0 ? part << BigInt(more) : part) - random[i]!) - blindingBits[i]!;
      }),
    ),
    random.filter((part, i) => ((part ^ values[i]!) & mask) === 0n).length,
  ];
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
