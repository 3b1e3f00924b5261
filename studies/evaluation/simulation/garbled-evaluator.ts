/** The evaluator of `garbled`: labels, tables and what decodes the output, against a garbler that knows the output alone. */
import {
  GARBLING_MESSAGE,
  garblerBits,
  messagesOf,
  outputBits,
  realView,
  type Shared,
  simulatedView,
  telling,
  unevenness,
  type View,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import type { Game } from './game.ts';
import { drawnStatistics, OWNERS, omitsSmall, sharesOf, smallTask } from './inputs.ts';
import { once, type Planted } from './sides.ts';

const FEATURES = 2;

/** What is kept of a view, whose tables are megabytes. */
interface Kept {
  readonly labels: Uint8Array;
  readonly others: readonly number[];
}

export const garbledEvaluator: Game = {
  id: 'garbled-evaluator',
  title: "The evaluator's view in `garbled` is what its output tells.",
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-8', 'S-19', 'S-25'],
  sees: 'All labels, tables, keys and decoding messages of a PCA of 2 features, with the output; the transfers of its own labels are dealt by a trusted dealer.',
  knows: "The rows themselves, so the bits of the CSP's shares: it looks for them in the labels.",
  simulator:
    "the output's bits and the program; it garbles zeros by the protocol's own garbling, so that a fault there, such as a constant Δ, is on both sides and not seen",
  values: [
    "bits of the CSP's shares in its labels",
    ...['labels', 'tables', 'decoding'].map((what) => `unevenness of the bytes of ${what}`),
    'messages',
    'bytes',
    'eigenvalue of the result',
  ],
  leaks: [
    {
      id: 'select',
      title: "select bits of the CSP's labels are the bits that they carry.",
      size: 'share of labels with such a select bit',
      sizes: [0.05, 0.1, 0.2, 0.3, 0.5, 1],
    },
  ],
  runs: { quick: 14, full: 20 },
  controlRuns: 14,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  open(scene) {
    const small = smallTask(scene, { features: FEATURES, components: 1, twoParty: 'garbled' });
    const program = { ...small.program, allowFullRank: true }; // one of two components is all
    const given = (draws: Draws): Shared => {
      const shares = sharesOf(small, drawnStatistics(small, draws.of('rows')), draws.of('shares'));
      return {
        task: small.task,
        program,
        garbler: { shares: shares.csp, verifiedOwners: OWNERS },
        evaluator: { shares: shares.dataUser },
      };
    };
    const run = once(async (draws) => kept(await realView(given(draws), draws.of('run').source)));
    return {
      async real(draws, planted) {
        return summedUp(await run(draws), await garblerBits(given(draws)), draws.of('leak'), planted);
      },
      async simulated(draws) {
        const shared = given(draws);
        const view = await simulatedView(shared, await outputBits(shared), draws.of('run').source);
        return summedUp(kept(view), await garblerBits(shared), draws);
      },
    };
  },
};

function kept({ run, output }: View): Kept {
  const messages = messagesOf(run.fromGarbler);
  const payloads = (type: number) => messages.flatMap((it) => (it.type === type ? [it.payload] : []));
  const { inputLabels, block, decode } = GARBLING_MESSAGE;
  const { eigenvalues } = output as { readonly eigenvalues: readonly number[] };
  return {
    labels: Buffer.concat(payloads(inputLabels)),
    others: [
      ...[inputLabels, block, decode].map((type) => unevenness(payloads(type))),
      messages.length,
      run.fromGarbler.reduce((sum, frame) => sum + frame.length, 0),
      eigenvalues[0]!,
    ],
  };
}

function summedUp({ labels, others }: Kept, carried: Uint8Array, draws: Draws, planted?: Planted): number[] {
  const shown = Uint8Array.from(labels);
  if (planted) {
    for (const [i, bit] of carried.entries()) {
      if (draws.uniform() < planted.size) shown[16 * i] = (shown[16 * i]! & 0xfe) | bit;
    }
  }
  return [telling(shown, carried), ...others];
}
