/** Products in both directions over one connection: each direction has base transfers, Δ and checks of its own. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MessageStream, memoryChannelPair } from '../../src/index.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { multiplyChosen, multiplyClear, multiplyCorrelated } from '../../src/products/index.ts';
import { drawDelta } from '../oblivious-transfer/parties.ts';
import { type Case, matrixOf, opened, randomCase } from './parties.ts';

async function bothWays() {
  const ends = memoryChannelPair({ silenceMilliseconds: 2000 }).map((channel) => ({
    stream: new MessageStream(channel),
    random: randomBytes,
  })) as [Party, Party];
  const [left, right] = ends;
  const [toRight, fromLeft] = await Promise.all([
    ExtensionSender.setUp(left, drawDelta()),
    ExtensionReceiver.setUp(right),
  ]);
  const [fromRight, toLeft] = await Promise.all([
    ExtensionReceiver.setUp(left),
    ExtensionSender.setUp(right, drawDelta()),
  ]);
  const multiply = async (receiver: ExtensionReceiver, sender: ExtensionSender, { a, c, ...sizes }: Case) => {
    const [chosen, correlated] = await Promise.all([
      multiplyChosen(receiver, { ...sizes, matrix: a, columns: c[0]!.length }),
      multiplyCorrelated(sender, { ...sizes, matrix: c, rows: a.length }),
    ]);
    return opened(chosen, correlated, sizes.ringBits);
  };
  return {
    rightChooses: (product: Case) => multiply(fromLeft, toRight, product),
    leftChooses: (product: Case) => multiply(fromRight, toLeft, product),
    senders: [toRight, toLeft] as const,
  };
}

type Party = { readonly stream: MessageStream; readonly random: typeof randomBytes };

describe('products in both directions', () => {
  it('take turns over one connection, at the edges of rings, too', async () => {
    const { rightChooses, leftChooses, senders } = await bothWays();
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
        expect(await multiply(product)).toEqual(multiplyClear(product.a, product.c, { ringBits }));
        const other = randomCase([4, 3, 4], 81, ringBits, 'upper');
        if (ringBits > 81) {
          expect(await multiply(other)).toEqual(multiplyClear(other.a, other.c, { ringBits, part: 'upper' }));
        }
      }
    }
  });
});
