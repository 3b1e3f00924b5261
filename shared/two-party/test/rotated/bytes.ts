/** What `rotated` sends, by arithmetic from the public sizes alone: the lengths of all messages of a run, headers included. */
import { methodOf } from '@eigenveil/methods';
import type { Program, StatisticsTask } from '@eigenveil/task';
import { answersOf } from '../../src/lattice/messages.ts';
import { resultPlaces } from '../../src/lattice/packing.ts';
import { PRIME_BITS } from '../../src/lattice/security.ts';
import { type LatticePlan, proofBytes } from '../../src/lattice/sizes.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import { pencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { pencilPlan } from '../../src/rotated/pencil/steps.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { sketchPlan } from '../../src/rotated/sketch/steps.ts';
import { turningPlan } from '../../src/rotated/turning.ts';

export interface Bytes {
  readonly toCsp: number;
  readonly toDataUser: number;
}

const HEADER = 8;
const NONCE = 32;
const message = (payload: number) => HEADER + payload;
const ring = (count: number, bits: number) => message(count * Math.ceil(bits / 8));

const sum = (parts: readonly Bytes[]): Bytes => ({
  toCsp: parts.reduce((total, part) => total + part.toCsp, 0),
  toDataUser: parts.reduce((total, part) => total + part.toDataUser, 0),
});

/** The data user's and the CSP's messages of the products of a plan, nonces included. */
export function latticeMessages({ products, keys, statements }: LatticePlan): Bytes {
  const words = (count: number, limbs: number) => limbs * Math.ceil((count * PRIME_BITS) / 8);
  let toCsp = message(NONCE);
  let toDataUser = message(NONCE);
  for (const { degree, up } of keys) toCsp += message(words(degree, up));
  for (const { packing, degree, up, down } of products) {
    const { blocks, ciphertexts, classes } = packing;
    const inside = degree / classes;
    toCsp += blocks * ciphertexts * (message(words(inside, up)) + message(words(degree - inside, up)));
    for (const { block, answer } of answersOf(packing)) {
      const results = resultPlaces(packing, block, answer).length;
      toDataUser += message(words(degree, down) + words(results, down));
    }
  }
  for (const statement of statements) toCsp += message(proofBytes(statement));
  return { toCsp, toDataUser };
}

/** All of a PCA; of a correlation matrix without the circuit and its base transfers. */
async function pcaBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  const { features: d, ringBits } = rotatedParameters(task);
  const opening =
    methodOf(task).decomposes === 'correlation'
      ? []
      : [
          {
            toCsp: ring(1, ringBits),
            toDataUser: ring(program.outputs.includes('mean') ? 1 + d : 1, ringBits),
          },
        ];
  return sum([...opening, latticeMessages(await turningPlan(task, program))]);
}

async function pencilBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  const { features: d, classes, ringBits } = pencilParameters(task, program);
  const count = classes.reduce((total, one) => total + one);
  const declared = program.outputs.includes('mean') ? count + d : count;
  return sum([
    { toCsp: ring(1, ringBits), toDataUser: ring(declared, ringBits) },
    latticeMessages(await pencilPlan(task, program)),
  ]);
}

async function sketchBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  const { features: d, shareRing } = sketchParameters(task, program);
  return sum([
    { toCsp: ring(1, shareRing), toDataUser: ring(1 + d, shareRing) },
    latticeMessages(await sketchPlan(task, program)),
  ]);
}

/** Of a correlation matrix without the circuit that standardises. */
export async function rotatedBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  if (task.sketch !== undefined) return await sketchBytes(task, program);
  return await (task.method.kind === 'pca' ? pcaBytes : pencilBytes)(task, program);
}
