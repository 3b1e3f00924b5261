/**
 * The view that the CSP has of a result that `rotated` refuses: the time from the rotated matrix to the data user's next byte. The data user's end is
 * the real one; its peer and the secret products are played, since all that they bring is known here.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { Integers } from '@eigenveil/platform';
import { symmetricEigen } from '@eigenveil/projection';
import { programOf } from '@eigenveil/task';
import { type Channel, systemClock, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  askRotated,
  type LatticePlan,
  type Matrix,
  MessageStream,
  PCA_PRODUCTS,
  ROTATED_MESSAGE,
  symmetricMatrix,
  type UserProducts,
} from '@eigenveil/two-party/insides';
import type { Operation } from './measure.ts';
import { randomBigint } from './values.ts';

const FEATURES = 50;
const COMPONENTS = 15;
/** Fewer than components, so that the result is refused. */
const LOW_RANK = 12;
const SAMPLES = 1000n;
/** Long enough for this size on a machine with other work on it, short enough for a thousand runs. */
const PACE_MILLISECONDS = 150;
const MATRICES = 8;
const FRACTION_BITS = 14;
/** As docs/spec/rotated.md has them: of an entry of the rotation. */
const ROTATION_BITS = 76 + Math.ceil(Math.log2(FEATURES));

const TASK = {
  method: { kind: 'pca' },
  features: Array.from({ length: FEATURES }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
  labellings: [],
  fractionBits: FRACTION_BITS,
  maximumOwners: 16,
  maximumSamplesPerOwner: 1024,
  keyBits: 2048,
  statisticalSecurityBits: 40,
} as const;
const PROGRAM = programOf({
  ...TASK,
  components: COMPONENTS,
  outputs: ['sampleCount', 'spectrum'],
  minimumOwners: 2,
  allowFullRank: false,
});
const RING_BITS = TWO_PARTY_PROTOCOLS.rotated.shareBits(TASK)[0]!;

/** The upper triangle of a matrix with eigenvalues that fall, behind a random rotation. */
function drawMatrix(rank: number): bigint[] {
  const random = Array.from({ length: FEATURES }, () =>
    Array.from({ length: FEATURES }, () => randomInt(2 ** 32) / 2 ** 32 - 0.5),
  );
  const { vectors } = symmetricEigen(random.map((row, i) => row.map((entry, j) => entry + random[j]![i]!)));
  const values = vectors.map((_, e) => (e < rank ? 2 ** 40 / 1.2 ** e : 0));
  return random.flatMap((_, i) =>
    random.slice(i).map((_row, j) => {
      const entry = values.reduce((sum, value, e) => sum + value * vectors[e]![i]! * vectors[e]![i + j]!, 0);
      const high = BigInt(Math.round(entry * 2 ** 8)) << BigInt(2 * ROTATION_BITS - 8);
      return BigInt.asUintN(RING_BITS, high + randomBigint(2 * ROTATION_BITS - 8));
    }),
  );
}

const zeros = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => new Array<bigint>(columns).fill(0n));

function message(type: number, elements: readonly bigint[]): Uint8Array {
  const payload = Integers.of(elements, { length: elements.length, bits: RING_BITS }).bytes;
  const header = Buffer.alloc(8);
  header.writeUInt32LE(type);
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** A data user that has all except the matrix; returns what hands the matrix over and resolves at the next byte. */
function waitingForMatrix(matrix: Matrix, milliseconds: number): () => Promise<void> {
  const [come, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const inbox = [Promise.resolve(message(ROTATED_MESSAGE.declared, [SAMPLES]))];
  let isCome = false;
  const channel: Channel = {
    send: async () => (isCome ? left.resolve() : undefined),
    receive: () => inbox.shift() ?? new Promise(() => {}), // what follows is not measured
    close: async () => undefined,
    abort: async () => undefined,
    bytesSent: 0,
    bytesReceived: 0,
  };
  const stream = new MessageStream(channel);
  const shares = TWO_PARTY_PROTOCOLS.rotated.shareBits(TASK).map(() => 0n);
  const pace = { milliseconds, clock: systemClock };
  const lattice =
    () =>
    async (plan: LatticePlan): Promise<UserProducts> => ({
      async multiply(asked, { onLast } = {}) {
        const last = asked.at(-1)!.product;
        if (last === PCA_PRODUCTS.matrix) {
          await come.promise;
          onLast?.();
          return [matrix.map((row) => [...row])];
        }
        if (last > PCA_PRODUCTS.matrix) {
          stream.write(0, randomBytes(16));
          await stream.flush();
          await new Promise(() => {}); // what follows is not measured
        }
        return asked.map(({ product }) =>
          zeros(plan.products[product]!.rows, plan.products[product]!.columns),
        );
      },
    });
  void askRotated(stream, lattice, { task: TASK, program: PROGRAM }, { shares, pace });
  return () => {
    isCome = true;
    come.resolve();
    return left.promise;
  };
}

function operation(kind: Operation['kind'], title: string, milliseconds: number): Operation {
  return {
    name: `next byte after the rotated matrix, ${title}`,
    kind,
    classes: ['a result', 'a refusal'],
    slowness: 100,
    async open() {
      const draw = (rank: number) =>
        Array.from({ length: MATRICES }, () => symmetricMatrix(drawMatrix(rank), FEATURES));
      const pools = [draw(FEATURES), draw(LOW_RANK)] as const;
      return {
        prepare: (which) => waitingForMatrix(pools[which][randomInt(MATRICES)]!, milliseconds),
      };
    },
  };
}

export const REFUSALS: readonly Operation[] = [
  operation('positive control', 'at once', 0),
  operation('operation', 'at its public time', PACE_MILLISECONDS),
];
