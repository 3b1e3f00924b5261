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
import { drawnStatistics, OWNERS, omitsSmall, sharesOf, smallTask } from './inputs.ts';
import { once, party } from './party.ts';

const FEATURES = 2;

/** The part of a view that is kept, since its tables are megabytes. */
interface Kept {
  readonly labels: Uint8Array;
  /** By what they are of, the unevenness of bytes. */
  readonly uneven: Readonly<Record<'labels' | 'tables' | 'decoding', number>>;
  readonly messages: number;
  readonly bytes: number;
  readonly eigenvalue: number;
}

/** A view, and the bits of the CSP's shares that somebody looks for in its labels. */
interface Searched extends Kept {
  readonly carried: Uint8Array;
}

export const garbledEvaluator = party({
  id: 'garbled-evaluator',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-8', 'S-19', 'S-25'],
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
    return { given, run: once(async (draws) => kept(await realView(given(draws), draws.of('run').source))) };
  },
  async real({ given, run }, draws, planted): Promise<Searched> {
    const { labels, ...others } = await run(draws);
    const carried = await garblerBits(given(draws));
    const leaks = draws.of('leak');
    const shown = Uint8Array.from(labels);
    if (planted) {
      for (const [i, bit] of carried.entries()) {
        if (leaks.uniform() < planted.size) shown[16 * i] = (shown[16 * i]! & 0xfe) | bit;
      }
    }
    return { ...others, labels: shown, carried };
  },
  async simulated({ given }, draws) {
    const shared = given(draws);
    const view = await simulatedView(shared, await outputBits(shared), draws.of('run').source);
    return { ...kept(view), carried: await garblerBits(shared) };
  },
  features: (_, { labels, carried, uneven, messages, bytes, eigenvalue }) => ({
    "bits of the CSP's shares in its labels": telling(labels, carried),
    'unevenness of the bytes of labels': uneven.labels,
    'unevenness of the bytes of tables': uneven.tables,
    'unevenness of the bytes of decoding': uneven.decoding,
    messages,
    bytes,
    'eigenvalue of the result': eigenvalue,
  }),
});

function kept({ run, output }: View): Kept {
  const messages = messagesOf(run.fromGarbler);
  const payloads = (type: number) => messages.flatMap((it) => (it.type === type ? [it.payload] : []));
  const { inputLabels, block, decode } = GARBLING_MESSAGE;
  const { eigenvalues } = output as { readonly eigenvalues: readonly number[] };
  return {
    labels: Buffer.concat(payloads(inputLabels)),
    uneven: {
      labels: unevenness(payloads(inputLabels)),
      tables: unevenness(payloads(block)),
      decoding: unevenness(payloads(decode)),
    },
    messages: messages.length,
    bytes: run.fromGarbler.reduce((sum, frame) => sum + frame.length, 0),
    eigenvalue: eigenvalues[0]!,
  };
}
