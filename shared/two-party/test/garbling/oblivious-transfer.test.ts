/** Sessions with the oblivious transfer of production, and the bytes of both directions. */
import { createHash, randomBytes } from 'node:crypto';
import { seeded } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { bitsOf, multiply, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { EvaluatorSession } from '../../src/garbling/evaluator.ts';
import { GarblerSession } from '../../src/garbling/garbler.ts';
import type { Session } from '../../src/garbling/session.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { recorded } from '../support/garbled-run.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

const BITS = 20;
const LANES = 9;

/** The products of the garbler's and the evaluator's numbers. */
async function products(session: Session, own: { garbler?: Uint8Array; evaluator?: Uint8Array }) {
  const count = BITS * LANES;
  const a = await session.garblerInput(count, own.garbler);
  const b = await session.evaluatorInput(count, own.evaluator);
  const product = await session.step((gates) =>
    multiply(gates, numberFrom(gates, a, BITS), numberFrom(gates, b, BITS)),
  );
  return session.reveal(product);
}

const draw = () =>
  Array.from({ length: LANES }, () => BigInt.asIntN(BITS, BigInt(randomBytes(3).readUIntLE(0, 3))));

describe('a session with oblivious transfer', () => {
  it('computes on the inputs of both, also when several inputs follow each other', async () => {
    const [left, right] = memoryChannelPair();
    const [a, b] = [draw(), draw()];
    const [garbled, evaluated] = await Promise.all([
      GarblerSession.open(new MessageStream(left)).then(async (session) => [
        await products(session, { garbler: bitsOf(a, BITS) }),
        await products(session, { garbler: bitsOf(b, BITS) }),
      ]),
      EvaluatorSession.open(new MessageStream(right)).then(async (session) => [
        await products(session, { evaluator: bitsOf(b, BITS) }),
        await products(session, { evaluator: bitsOf(b, BITS) }),
      ]),
    ]);
    expect(garbled).toEqual([undefined, undefined]);
    expect(valuesOf(evaluated[0]!)).toEqual(a.map((x, i) => x * b[i]!));
    expect(valuesOf(evaluated[1]!)).toEqual(b.map((x) => x * x));
  });

  it('sends the same bytes as ever in both directions in deterministic mode', async () => {
    const [left, right] = memoryChannelPair();
    const fromGarbler: Uint8Array[] = [];
    const fromEvaluator: Uint8Array[] = [];
    const keep = (frame: Uint8Array) => frame;
    const values = Array.from({ length: LANES }, (_, i) => BigInt(i * 1000 - 3000));
    const random = seeded('garbler');
    const [, bits] = await Promise.all([
      GarblerSession.openWith({
        stream: new MessageStream(recorded(left, fromGarbler, keep)),
        random,
        setUp: (stream, delta) => ExtensionSender.setUp({ stream, random }, delta),
      }).then((session) => products(session, { garbler: bitsOf(values, BITS) })),
      EvaluatorSession.openWith({
        stream: new MessageStream(recorded(right, fromEvaluator, keep)),
        setUp: (stream) => ExtensionReceiver.setUp({ stream, random: seeded('evaluator') }),
      }).then((session) => products(session, { evaluator: bitsOf(values, BITS) })),
    ]);
    expect(valuesOf(bits!)).toEqual(values.map((value) => value * value));
    const digest = (frames: Uint8Array[]) => createHash('sha256').update(Buffer.concat(frames)).digest('hex');
    expect([digest(fromGarbler), digest(fromEvaluator)]).toEqual([
      'd6d82ac393eee385812bfe28ab1ffce58ff38f76aa38ffebe468baa524fcb982',
      'bc78c4ebc64206f0b4d1bb3a6dbfb189fef2aff84f93aa91c68dfb76f90ee520',
    ]);
  });
});
