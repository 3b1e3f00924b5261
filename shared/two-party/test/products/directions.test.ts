/** Products in both directions over one connection: each direction has base transfers, Δ and checks of its own. */
import { createHash } from 'node:crypto';
import { seeded } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { type RandomSource, systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { multiplyChosen, multiplyCorrelated } from '../../src/products/index.ts';
import { recorded } from '../oblivious-transfer/parties.ts';
import { multiplyClear } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { cases } from './cases.ts';
import { type Case, type Matrix, matrixOf, opened, randomCase } from './parties.ts';

async function bothWays(sourceOf: (name: string) => RandomSource = () => systemRandomness) {
  const channels = memoryChannelPair().map((channel) => recorded(channel));
  const [left, right] = ['left', 'right'].map((name, end) => ({
    stream: new MessageStream(channels[end]!.recording),
    random: sourceOf(name),
  })) as [Party, Party];
  const [toRight, fromLeft] = await Promise.all([
    ExtensionSender.setUp(left, drawDelta(sourceOf('left delta'))),
    ExtensionReceiver.setUp(right),
  ]);
  const [fromRight, toLeft] = await Promise.all([
    ExtensionReceiver.setUp(left),
    ExtensionSender.setUp(right, drawDelta(sourceOf('right delta'))),
  ]);
  const multiply = (receiver: ExtensionReceiver, sender: ExtensionSender, { a, c, ...sizes }: Case) =>
    Promise.all([
      multiplyChosen(receiver, { ...sizes, matrix: a, columns: c[0]!.length }),
      multiplyCorrelated(sender, { ...sizes, matrix: c, rows: a.length }),
    ]);
  return {
    rightChooses: (product: Case) => multiply(fromLeft, toRight, product),
    leftChooses: (product: Case) => multiply(fromRight, toLeft, product),
    senders: [toRight, toLeft] as const,
    sent: channels.map(({ sent }) => sent),
  };
}

interface Party {
  readonly stream: MessageStream;
  readonly random: RandomSource;
}

let shared: Awaited<ReturnType<typeof bothWays>>;
beforeAll(async () => {
  shared = await bothWays();
});

const clear = ({ a, c, ...sizes }: Case) => multiplyClear(a, c, sizes);

describe('products in both directions', () => {
  const check = async (multiply: (product: Case) => Promise<Matrix[]>, product: Case) => {
    const [chosen, correlated] = await multiply(product);
    expect(opened(chosen!, correlated!, product.ringBits)).toEqual(clear(product));
  };

  it('take turns over one connection, at the edges of rings, too', async () => {
    const { rightChooses, leftChooses, senders } = shared;
    expect(senders[0].delta).not.toEqual(senders[1].delta);
    for (const ringBits of [64, 248, 300]) {
      const top = 1n << BigInt(ringBits - 1);
      const edges = [0n, 1n, top - 1n, top, 2n * top - 1n];
      const product: Case = {
        a: matrixOf(3, 1, (i) => [-top, -1n, top - 1n][i]!),
        c: matrixOf(1, 5, (_, j) => edges[j]!),
        entryBits: ringBits,
        ringBits,
      };
      for (const multiply of [rightChooses, leftChooses]) {
        await check(multiply, product);
        if (ringBits > 81) await check(multiply, randomCase([4, 3, 4], 81, ringBits, 'upper'));
      }
    }
  });

  it('are products, whatever the shapes, the rings, the entries and the turns', async () => {
    const turns = fc.array(fc.tuple(fc.boolean(), cases), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, async (products) => {
        for (const [right, product] of products)
          await check(right ? shared.rightChooses : shared.leftChooses, product);
      }),
      { numRuns: 30 },
    );
  });
});

/** A change of the bytes on the wire changes these on purpose: copy the digests from the failure. */
const GOLDEN = {
  left: '8075213b622916ea42af1558a642fe4298133d7e6c992fb88c9672e0a05d80e4',
  right: 'db84367c2e1b270d70235b59d068f5488ee45a386e834603c744e5d818c8b980',
  shares: 'ecd5dcb33c876fc0beeda0b3156e1b1ab7352c0c11b3759f8f3452f82ee9841e',
};

describe('the transcript of products in turns', () => {
  it('is the recorded one, in both directions, and so are the shares', async () => {
    const { rightChooses, leftChooses, sent } = await bothWays((name) => seeded(`golden products ${name}`));
    const source = seeded('golden matrices');
    const ring = (bits: number) =>
      BigInt.asUintN(bits, BigInt(`0x${Buffer.from(source(40)).toString('hex')}`));
    const product = (
      [rows, inner, columns]: readonly [number, number, number],
      entryBits: number,
      ringBits: number,
      part: 'whole' | 'upper' = 'whole',
    ): Case => ({
      a: matrixOf(rows, inner, () => BigInt.asIntN(entryBits, ring(entryBits))),
      c: matrixOf(inner, columns, () => ring(ringBits)),
      ...{ entryBits, ringBits, part },
    });
    const shares: Matrix[] = [];
    for (const next of [product([3, 4, 5], 83, 228), product([4, 4, 4], 17, 300, 'upper')])
      for (const multiply of [rightChooses, leftChooses]) shares.push(...(await multiply(next)));
    const digest = (parts: readonly (Uint8Array | string)[]) => {
      const hash = createHash('sha256');
      for (const part of parts) hash.update(part);
      return hash.digest('hex');
    };
    expect({
      left: digest(sent[0]!),
      right: digest(sent[1]!),
      shares: digest([JSON.stringify(shares.map((share) => share.map((row) => row.map(String))))]),
    }).toEqual(GOLDEN);
  });
});
