/** Garbled gates compute what gates compute, byte for byte as the papers say. */
import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvaluatorGates } from '../../src/garbling/evaluator.ts';
import { GarblerGates } from '../../src/garbling/garbler.ts';
import { CHUNK_GATES } from '../../src/garbling/hash.ts';
import { BATCH_GATES } from '../../src/garbling/label-gates.ts';
import { type Program, randomBits, runClear, runGarbled } from '../support/garbled-run.ts';
import { programOf, recipe } from './random-circuit.ts';

const toBigint = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const toBytes = (value: bigint) =>
  Uint8Array.from({ length: 16 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

/** Half-gates after Zahur, Rosulek, Evans (figure 2) over integers, one block at a time: nothing shared with the code. */
function reference(delta: bigint, key: Uint8Array, number: bigint, a0: bigint, b0: bigint) {
  const pi = (x: bigint) => {
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    return toBigint(cipher.update(toBytes(x)));
  };
  const hash = (x: bigint, tweak: bigint) => pi(pi(x) ^ tweak) ^ pi(x);
  const [j, k] = [2n * number, 2n * number + 1n];
  const [pa, pb] = [a0 & 1n, b0 & 1n];
  const generator = hash(a0, j) ^ hash(a0 ^ delta, j) ^ (pb * delta);
  const evaluator = hash(b0, k) ^ hash(b0 ^ delta, k) ^ a0;
  const output = hash(a0, j) ^ (pa * generator) ^ hash(b0, k) ^ (pb * (evaluator ^ a0));
  return { generator, evaluator, output };
}

function drawDelta(): Uint8Array {
  const delta = Uint8Array.from(randomBytes(16));
  delta[0] = delta[0]! | 1;
  return delta;
}

describe('half-gates', () => {
  it('garbles as the reference does, through batches, chunks and many small vectors', () => {
    const delta = drawDelta();
    const blocks: Uint8Array[] = [];
    const gates = new GarblerGates(
      delta,
      (length) => randomBytes(length),
      (block) => blocks.push(block.slice()),
    );
    const widths = [CHUNK_GATES - 3, 1, 1, BATCH_GATES + 5, 2];
    const [as, bs] = [widths, widths].map((list) => list.map((width) => randomBytes(16 * width)));
    const outputs = gates.step(() => {
      const left = as!.map((labels) => gates.labels(labels));
      const right = bs!.map((labels) => gates.labels(labels));
      return gates.andEach(left, right).map((wires) => gates.zeroLabels(wires));
    });
    blocks.push(gates.takeRest().slice());
    const stream = Buffer.concat(blocks);
    const gateCount = widths.reduce((sum, width) => sum + width, 0);
    expect(stream.length).toBe(32 * gateCount + 2 * 16); // two chunks
    const [a, b, c] = [as!, bs!, outputs].map((list) => Buffer.concat(list));
    const at = (bytes: Uint8Array, i: number) => toBigint(bytes.subarray(16 * i, 16 * i + 16));
    const keyAt = [0, 16 + 32 * CHUNK_GATES];
    for (const gate of [0, 1, 1023, 1024, CHUNK_GATES - 3, CHUNK_GATES - 1, CHUNK_GATES, gateCount - 1]) {
      const chunk = gate < CHUNK_GATES ? 0 : 1;
      const key = stream.subarray(keyAt[chunk], keyAt[chunk]! + 16);
      const expected = reference(toBigint(delta), key, BigInt(gate), at(a!, gate), at(b!, gate));
      const table = stream.subarray(16 * (chunk + 1) + 32 * gate);
      expect([at(table, 0), at(table, 1), at(c!, gate)]).toEqual([
        expected.generator,
        expected.evaluator,
        expected.output,
      ]);
    }
  });

  it('evaluates all four rows to the right label, whatever the select bits', () => {
    const delta = drawDelta();
    for (let select = 0; select < 4; select += 1) {
      for (let row = 0; row < 4; row += 1) {
        const gates = new GarblerGates(
          delta,
          (length) => randomBytes(length),
          () => undefined,
        );
        const [a0, b0] = [randomBytes(16), randomBytes(16)];
        a0[0] = (a0[0]! & 0xfe) | (select & 1);
        b0[0] = (b0[0]! & 0xfe) | (select >> 1);
        const zero = gates.step(() => gates.zeroLabels(gates.and(gates.labels(a0), gates.labels(b0))));
        const evaluator = new EvaluatorGates();
        evaluator.feed(gates.takeRest().slice());
        const active = (label: Uint8Array, bit: number) => label.map((byte, i) => byte ^ (delta[i]! & -bit));
        const [x, y] = [row & 1, row >> 1];
        const got = evaluator.step(() =>
          evaluator.activeLabels(
            evaluator.and(evaluator.labels(active(a0, x)), evaluator.labels(active(b0, y))),
          ),
        );
        expect(got).toEqual(active(zero, x & y));
      }
    }
  });

  it.each([6])('agrees with the clear context on %i random circuits', onRandomCircuits);
  it.each([200])('agrees with it on %i more', { tags: ['long'] }, onRandomCircuits);

  async function onRandomCircuits(numRuns: number) {
    await fc.assert(
      fc.asyncProperty(recipe, async (drawn) => {
        const program = programOf(drawn);
        const [a, b] = [randomBits(drawn.lanes), randomBits(drawn.lanes)];
        const { bits, garbler, evaluator } = await runGarbled(program, a, b);
        expect(bits).toEqual(await runClear(program, a, b));
        expect(garbler.gates.andGates).toBe(evaluator.gates.andGates);
      }),
      { numRuns, seed: numRuns },
    );
  }

  it('agrees on wide vectors over several steps', { tags: ['long'] }, async () => {
    const lanes = 3 * CHUNK_GATES + 77;
    const program: Program = async (session, garblerBits, evaluatorBits) => {
      const a = await session.garblerInput(lanes, garblerBits);
      const b = await session.evaluatorInput(lanes, evaluatorBits);
      let c = await session.step((gates) => gates.and(a, b));
      for (let i = 0; i < 4; i += 1)
        c = await session.step((gates) => gates.and(gates.not(gates.and(c, a)), b));
      return session.reveal([c, a, b]);
    };
    const [a, b] = [randomBits(lanes), randomBits(lanes)];
    expect((await runGarbled(program, a, b)).bits).toEqual(await runClear(program, a, b));
  });

  it('tells the garbler nothing', async () => {
    let learned: unknown = 'nothing yet';
    const program: Program = async (session, garblerBits) => {
      const wires = await session.garblerInput(3, garblerBits);
      return session.reveal([wires]);
    };
    const garblerProgram: Program = async (...of) => {
      learned = await program(...of);
      return undefined;
    };
    const bits = Uint8Array.of(1, 0, 1);
    const run = await runGarbled(program, bits, new Uint8Array(0), { garblerProgram });
    expect(run.bits).toEqual([bits]);
    expect(learned).toBeUndefined();
    expect(run.fromEvaluator).toEqual([]);
  });
});
