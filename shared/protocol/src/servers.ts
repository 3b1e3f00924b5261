/** The servers' steps, in their order: draw and blind, unblind, the shares of both, the result. */
import { type FlatResult, flatResult, type Result } from '@eigenveil/methods';
import {
  add,
  blindingWidths,
  type Ciphertext,
  drawBlinding,
  encodeCiphertexts,
  type Packing,
  type PaillierPool,
  type Plaintext,
  type PublicKey,
  packBlinding,
  type SecretKey,
  unpackBlinded,
} from '@eigenveil/paillier';
import { CodedError, type IntegerList, Integers } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { referenceOf } from '@eigenveil/projection';
import { type StatisticsTask, shiftOf, type Task, withoutShift } from '@eigenveil/task';
import { type Shared, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { CODES, digestTask, type Projection } from '@eigenveil/wire';

export { type AgreedTask, openAgreed, signsOf } from './owner.ts';

/**
 * Ciphertexts that are blinded at a time: all threads of a pool have work for seconds, and none has to hold
 * all of a sketch's.
 */
const BLINDED_AT_ONCE = 2048;

/**
 * The values that the data user draws once per task: as secret as the key, and persisted before it is used.
 */
export interface Drawn {
  /** One per value of the flat statistics; see `drawBlinding`. */
  readonly blinding: Integers;
  /**
   * The data user's noise, one per value of which servers have shares; zeros where the task has the data user
   * add none. As signed integers of the bits of shares, of which it becomes a part: so that its length tells
   * nothing about it.
   */
  readonly noise: Integers;
}

interface DrawnFor {
  readonly task: SharedTask;
  readonly packing: Packing;
}

/**
 * @param signs of a task with `sketch`: Ω
 * @throws as `drawNoise`
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { blind, draw } from '@eigenveil/protocol/servers';
 *
 * const drawn = draw({ task, packing }, systemRandomness); // to be kept before it is used
 * const blinded = await blind({ publicKey, packing }, ciphertexts, drawn, pool);
 */
export function draw(
  { task, packing, signs }: DrawnFor & { readonly signs?: Int32Array | undefined },
  randomness: RandomSource,
): Drawn {
  const bits = shareBits(task);
  const noise = sharedBy(task).drawNoise(task, 'dataUser', randomness, signs);
  const reduced = noise.map((value, i) => BigInt.asIntN(bits[i]!, value));
  return { noise: Integers.of(reduced, bits, 'signed'), blinding: drawBlinding(packing, randomness) };
}

/**
 * Reads what was drawn for a task from the bytes of the blinding with those of the noise behind them, as
 * views of these bytes.
 * @throws ERR_ENCODING_INVALID for what cannot have been drawn for it
 */
export function readDrawn({ task, packing }: DrawnFor, bytes: Uint8Array): Drawn {
  const widths = blindingWidths(packing);
  const end = Integers.lengthOf(widths);
  return {
    blinding: Integers.read(bytes.subarray(0, end), widths),
    noise: Integers.read(bytes.subarray(end), shareBits(task), 'signed'),
  };
}

/**
 * The aggregate with the blinding added, encoded as the CSP gets it. The blinding is encrypted with
 * full-length randomisers whatever the owners' scheme: the CSP, which can extract randomisers, would
 * otherwise recognise the product of the owners'.
 * @throws ERR_VALUE_OUT_OF_RANGE
 */
export async function blind(
  { publicKey, packing }: { readonly publicKey: PublicKey; readonly packing: Packing },
  aggregate: readonly Ciphertext[],
  { blinding }: { readonly blinding: IntegerList },
  paillier: PaillierPool,
): Promise<Uint8Array> {
  return addAll(publicKey, aggregate, packBlinding(publicKey, packing, blinding), paillier);
}

/** Apart, so that nothing holds the blinding values themselves while they are encrypted. */
async function addAll(
  publicKey: PublicKey,
  aggregate: readonly Ciphertext[],
  plaintexts: readonly Plaintext[],
  paillier: PaillierPool,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(plaintexts.length * publicKey.ciphertextBytes);
  for (let from = 0; from < plaintexts.length; from += BLINDED_AT_ONCE) {
    const part = plaintexts.slice(from, from + BLINDED_AT_ONCE);
    const addends = await paillier.encrypt(publicKey, part, 'standard');
    const blinded = addends.map((addend, i) => add(publicKey, aggregate[from + i]!, addend));
    bytes.set(encodeCiphertexts(publicKey, blinded), from * publicKey.ciphertextBytes);
  }
  return bytes;
}

/**
 * Decrypts the blinded aggregate, reads its slots and adds the CSP's noise: its additive shares of every value. The key
 * is an oracle, so whoever calls this has bound the task to these very ciphertexts before; the noise is new with every
 * call, so one draw is kept and nothing of the others may leave.
 * @param ciphertexts validated, as many as the packing has plaintexts
 * @throws ERR_PACKING_OVERFLOW when a sum has left its range: one bit about the plaintexts, to be told
 *   once and never for other ciphertexts, and as `drawNoise`
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { unblind } from '@eigenveil/protocol/servers';
 *
 * const by = { paillier: pool, randomness: systemRandomness };
 * const shares = await unblind({ task, secretKey, packing }, ciphertexts, by);
 */
export async function unblind(
  under: {
    readonly task: SharedTask;
    readonly secretKey: SecretKey;
    readonly packing: Packing;
    /** Ω of a task with `sketch`. */
    readonly signs?: Int32Array | undefined;
  },
  ciphertexts: readonly Ciphertext[],
  by: { readonly paillier: PaillierPool; readonly randomness: RandomSource },
): Promise<Integers> {
  const slots = unpackBlinded(under.packing, await by.paillier.decrypt(under.secretKey, ciphertexts));
  return sharesAtCsp(under.task, slots, by.randomness, under.signs);
}

/** The members of a task on which its shares depend. */
type SharedTask = StatisticsTask & { readonly twoParty: keyof typeof TWO_PARTY_PROTOCOLS };

/**
 * The CSP's additive shares: what it reads from the slots, which are values with their blinding, in the units
 * that servers compute with, or sums of these, and its noise.
 * @param signs of a task with `sketch`: Ω
 * @throws as `drawNoise`
 */
export function sharesAtCsp(
  task: SharedTask,
  slots: IntegerList,
  randomness: RandomSource,
  signs?: Int32Array,
): Integers {
  const { valuesOf, drawNoise } = sharedBy(task);
  const noise = drawNoise(task, 'csp', randomness, signs);
  return inRing(task, valuesOf(task, slots), (value, i) => value + noise[i]!);
}

/**
 * The data user's additive shares: with the CSP's they add up to the statistics, or sums of these, the servers'
 * noise and the public shift.
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtDataUser(
  task: SharedTask,
  { blinding, noise }: Readonly<Record<'blinding' | 'noise', IntegerList>>,
): Integers {
  const { valuesOf } = sharedBy(task);
  const shift = valuesOf(task, shiftOf(task));
  return inRing(task, valuesOf(task, blinding), (value, i) => noise.at(i)! + shift.at(i)! - value);
}

/** The bits of each of a server's shares. */
export function shareBits(task: SharedTask): readonly number[] {
  return sharedBy(task).shareBits(task);
}

/** Returns what servers hold shares of by the task's two-party protocol. */
function sharedBy({ twoParty }: SharedTask): Shared {
  return TWO_PARTY_PROTOCOLS[twoParty];
}

/**
 * Shares that are made of these values, reduced one by one: of a sketch, integers of which they are reduced
 * would be tens of megabytes.
 */
function inRing(
  task: SharedTask,
  values: Iterable<bigint>,
  shareOf: (value: bigint, index: number) => bigint,
): Integers {
  const bits = shareBits(task);
  function* shares() {
    let i = 0;
    for (const value of values) {
      yield BigInt.asUintN(bits[i]!, shareOf(value, i));
      i += 1;
    }
  }
  return Integers.of(shares(), bits);
}

/**
 * Returns what the data user signs: the result without the shift, and the parts of the task that it
 * belongs to.
 * @throws ERR_NOT_FINITE: a peer that deviates can make any numbers come out, and values that are not
 * numbers cannot be signed
 * @example
 * import { resultOf, sharesAtDataUser } from '@eigenveil/protocol/servers';
 * import { programOf } from '@eigenveil/task';
 * import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
 *
 * const shares = sharesAtDataUser(task, drawn);
 * const { runDataUser } = TWO_PARTY_PROTOCOLS[task.twoParty];
 * const projection = resultOf(task, await runDataUser(channel, { task, program: programOf(task) }, { shares }));
 */
export function resultOf(task: Task, shifted: Result): Projection {
  const result = withoutShift(task, flatResult(shifted));
  if (!isFiniteThroughout(result))
    throw new CodedError(CODES.ERR_NOT_FINITE, 'the result expected finite numbers');
  return projectionOf(task, result);
}

/** Returns whether all numbers in a value are finite. */
function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFiniteThroughout);
}

/**
 * No double is longer in JSON: a sign, 17 digits, and as many zeros before them as are written out
 * (ECMAScript, Number::toString).
 */
const LONGEST = -0.000_001_234_567_890_123_456_7;

/**
 * Bytes of the longest result that a task can have, in JSON: what is signed is so long, or its length would
 * tell the line about its numbers.
 */
export function longestResult(task: Task): number {
  const { components, features, labellings } = task;
  const numbers = (count: number) => new Array<number>(count).fill(LONGEST);
  const longest = projectionOf(task, {
    vectors: Array.from({ length: components }, () => numbers(features.length)),
    eigenvalues: numbers(components),
    converged: new Array<boolean>(components).fill(false),
    mean: numbers(features.length),
    trace: LONGEST,
    sampleCount: LONGEST,
    spectrum: numbers(features.length),
    classCounts: labellings.map(({ classes }) => numbers(classes.length)),
    variances: numbers(features.length),
    ...referenceOf(task).longest(task, LONGEST),
  });
  return Buffer.byteLength(JSON.stringify(longest));
}

function projectionOf(task: Task, result: FlatResult): Projection {
  return {
    taskId: task.id,
    taskDigest: digestTask(task),
    ...(task.title !== undefined && { title: task.title }),
    method: task.method,
    twoParty: task.twoParty,
    features: task.features,
    fractionBits: task.fractionBits,
    ...(task.sketch && { sketch: task.sketch }),
    outputs: task.outputs,
    differentialPrivacy: task.differentialPrivacy,
    ...(task.basis !== undefined && { basis: task.basis }),
    ...result,
  };
}
