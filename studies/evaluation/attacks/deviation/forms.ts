/** A data user of `rotated` whose keys and ciphertexts are not of the form that it proves, or whose proof is of others. */
import {
  deviatingLattice,
  LATTICE_MESSAGE,
  type Malformed,
  PCA_PRODUCTS,
  PROGRAM,
  pencilProducts,
  SKETCH_PRODUCTS,
} from '@eigenveil/two-party/insides';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { exactly } from '../in-process/exact.ts';
import { withoutPrivate } from '../in-process/small-task.ts';
import { type Deviation, drawnTasks, runDeviating } from './products.ts';

const METHODS = ['pca', 'dca', 'lda', 'mdr', 'sketch'] as const;

/** A pencil of two classes or more has M in the same place. */
const OPENING = {
  pca: PCA_PRODUCTS.matrix,
  dca: pencilProducts(1).matrix,
  lda: pencilProducts(1).matrix,
  mdr: pencilProducts(1, 'mdr').matrix,
  sketch: SKETCH_PRODUCTS.matrix,
};

/** The end of products in which one of the given number of keys or ciphertexts has another form. */
const lattice =
  (malformed: Malformed, draws: Draws): NonNullable<Deviation['lattice']> =>
  (stream) =>
    deviatingLattice(stream, PROGRAM, malformed, (count) => draws.below(count));

/** Deviations by name; `proofs` are those of an earlier run of the same task. */
function deviations(draws: Draws, proofs: readonly Uint8Array[]): Record<string, Deviation> {
  const left = [...proofs];
  return {
    'another key': { lattice: lattice('key', draws) },
    'another number outside class 0': { lattice: lattice('outside', draws) },
    'the proof of another run': {
      send: (type, payload) => (type === LATTICE_MESSAGE.proof ? (left.shift() ?? payload) : payload),
    },
  };
}

const forms: Unworded = {
  id: 'deviation-form',
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['pima'],
  omits: withoutPrivate,
  expectation: 'holds',
  claims: ['S-726', 'S-727'],
  async run(setting) {
    const draws = new Draws(setting.seed).of('places');
    const exceptions: boolean[] = [];
    const facts: Record<string, number> = {};
    for (const kind of METHODS) {
      for (const drawn of drawnTasks(setting, setting.effort === 'quick' ? 1 : 10, kind)) {
        const proofs: Uint8Array[] = [];
        const honest = await runDeviating(drawn, OPENING[kind], {
          lattice: lattice('nothing', draws), // the same code, so that it is not itself what is refused
          send(type, payload) {
            if (type === LATTICE_MESSAGE.proof) proofs.push(payload);
            return payload;
          },
        });
        if (honest.csp !== 'done' || !honest.marked || !honest.opened)
          throw new Error(`expected an answer to who follows the protocol, got ${honest.csp}`);
        for (const [name, deviation] of Object.entries(deviations(draws, proofs))) {
          const { csp, marked, opened } = await runDeviating(drawn, OPENING[kind], deviation);
          exceptions.push(csp !== 'ERR_CHANNEL_MESSAGE' || marked || opened);
          const fact = `${kind}, ${name}: ${csp}`;
          facts[fact] = (facts[fact] ?? 0) + 1;
        }
      }
    }
    return exactly(exceptions, 'a result that is opened, or a task that is marked,', { facts });
  },
};

export const FORMING: readonly Unworded[] = [forms];
