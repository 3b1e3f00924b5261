/** The context's own promises: constants, views, memory, limits, counts. */
import { describe, expect, it } from 'vitest';
import { PAGE_BYTES } from '../../src/garbling/assembler.ts';
import {
  ClearGates,
  ClearSession,
  CountingGates,
  DepthGates,
} from '../../src/garbling/clear-and-counting.ts';
import { EvaluatorGates } from '../../src/garbling/evaluator.ts';
import { type Gates, STEP_GATES } from '../../src/garbling/gates.ts';
import { LARGEST_PAGES } from '../../src/garbling/kernels.ts';
import { MOST_OPERANDS, template } from '../../src/garbling/recorder.ts';
import type { Wires } from '../../src/garbling/wires.ts';
import { randomBits } from '../support/garbled-run.ts';

describe('constants', () => {
  it('cost no gates and behave like bits', () => {
    const gates = new ClearGates();
    const bits = Uint8Array.of(0, 1, 1, 0);
    const a = gates.input(bits);
    const [zero, one] = [gates.constant(4, 0), gates.constant(4, 1)];
    const read = (...all: Parameters<typeof gates.concat>) => [...gates.read(gates.concat(...all))];
    expect(read([gates.and(a, zero), gates.and(one, a)])).toEqual([0, 0, 0, 0, 0, 1, 1, 0]);
    expect(read([gates.xor(a, one), gates.xor(zero, a)])).toEqual([1, 0, 0, 1, 0, 1, 1, 0]);
    expect(
      read([gates.not(one), zero, gates.slice(one, 1, 2), gates.gather(one, Uint32Array.of(0, 0))]),
    ).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(gates.andGates).toBe(0);
    expect(gates.constants(Uint8Array.of(1, 1)).constant).toBe(1);
    expect([...gates.read(gates.constants(Uint8Array.of(1, 0)))]).toEqual([1, 0]);
  });
});

describe('full adders', () => {
  it('add up bits and constants, and take no gate where two of three are constants', () => {
    const kinds = [undefined, 0, 1] as const;
    for (const x of kinds)
      for (const y of kinds)
        for (const z of kinds) {
          const gates = new ClearGates();
          // Every combination of three bits; a constant is the same in all.
          const bits = [x, y, z].map((known, k) =>
            Uint8Array.from({ length: 8 }, (_, lane) => known ?? (lane >> k) & 1),
          );
          const wires = [x, y, z].map((known, k) =>
            known === undefined ? gates.input(bits[k]!) : gates.constant(8, known),
          ) as [Wires, Wires, Wires];
          const [{ sum, carry }] = gates.addEach([wires]) as [{ sum: Wires; carry: Wires }];
          const [low, high] = [gates.read(sum), gates.read(carry)];
          const expected = Array.from(bits[0]!, (bit, lane) => bit + bits[1]![lane]! + bits[2]![lane]!);
          expect(Array.from(low, (bit, lane) => bit + 2 * high[lane]!)).toEqual(expected);
          const constants = [x, y, z].filter((known) => known !== undefined).length;
          expect(gates.andGates).toBe(constants > 1 ? 0 : 8);
        }
  });
});

describe('memory', () => {
  it('keeps what a scope returns and reuses the rest', () => {
    const gates = new ClearGates();
    const a = gates.input(randomBits(1000));
    const expected = gates.read(gates.xor(gates.and(a, a), gates.constant(1000, 1)));
    const kept = gates.scope(() => {
      gates.xor(a, a);
      const part = gates.not(a);
      return { part, again: [part, gates.slice(part, 10, 20)], number: 3 };
    });
    const noise = gates.scope(() => gates.xor(a, a));
    expect(gates.read(kept.part)).toEqual(expected);
    expect(gates.read(kept.again[1]!)).toEqual(expected.slice(10, 20));
    expect(gates.read(noise)).toEqual(new Uint8Array(1000));
    expect(kept.number).toBe(3);
  });

  it('keeps views that overlap, in whatever order they come', () => {
    const gates = new ClearGates();
    const bits = randomBits(50);
    const a = gates.input(bits);
    const expected = bits.map((bit) => bit ^ 1);
    const views = gates.scope(() => {
      const b = gates.not(a);
      return Array.from({ length: 40 }, (_, i) => {
        const from = (i * 17) % 41;
        return { from, wires: gates.slice(b, from, from + 9) };
      });
    });
    for (const { from, wires } of views) expect(gates.read(wires)).toEqual(expected.slice(from, from + 9));
  });

  it('keeps what a step returns for later steps, also inside scopes, and refuses what it does not', async () => {
    const session = new ClearSession();
    const bits = randomBits(300);
    const a = await session.garblerInput(300, bits);
    let lost = a;
    const b = await session.step((gates) => {
      lost = gates.not(a);
      return [lost, gates.slice(a, 5, 6)];
    });
    const c = await session.step((gates) => [
      gates.scope(() => gates.xor(b[0]!, a)),
      gates.xor(b[0]!, b[0]!),
    ]);
    expect(await session.reveal([b[0]!, b[1]!, c[0]!, c[1]!])).toEqual([
      bits.map((bit) => bit ^ 1),
      bits.slice(5, 6),
      new Uint8Array(300).fill(1),
      new Uint8Array(300),
    ]);
    const gone = await session.step((gates) => ({ wires: gates.not(a) }));
    gone.wires.saved = undefined;
    await expect(session.step((gates) => gates.not(gone.wires))).rejects.toThrow(RangeError);
  });

  it('keeps apart what steps give back that came from steps before', async () => {
    const session = new ClearSession();
    const [a, b] = [randomBits(300), randomBits(300)];
    const [low, high] = [await session.garblerInput(300, a), await session.garblerInput(300, b)];
    // Both are brought into memory, and the one above leaves the step as it came.
    await session.step((gates) => {
      gates.xor(low, high);
      return high;
    });
    const sum = await session.step((gates) => {
      const fresh = gates.not(high);
      return gates.xor(gates.not(fresh), low);
    });
    expect(await session.reveal([sum, low, high])).toEqual([a.map((bit, i) => bit ^ b[i]!), a, b]);
  });

  it('of labels grows up to its maximum, however close that is, and says where it ends', () => {
    class Growing extends EvaluatorGates {
      reach(length: number): number {
        this.ensure(length);
        return this.bytes().length;
      }
    }
    const most = LARGEST_PAGES * PAGE_BYTES;
    const [little, much] = [new Growing(), new Growing()];
    expect(little.reach(2 ** 23)).toBe(1.5 * 2 ** 23);
    expect(much.reach(0.7 * most)).toBe(most);
    expect(much.reach(most)).toBe(most);
    expect(() => much.reach(most + 1)).toThrow(`at most ${most} bytes of labels in one step`);
  });
});

describe('templates', () => {
  it('are walked through once per shape of their inputs, and count their gates each time', () => {
    let gates = new ClearGates();
    let walks = 0;
    const run = (lanes: number, carry: 0 | 1) => {
      const [a, b] = [randomBits(lanes), randomBits(lanes)];
      const inputs = [[gates.input(a)], [gates.input(b), gates.constant(lanes, carry)]] as const;
      const [result, same] = template(gates, 'test', inputs, (inner, [[x], [y, c]]) => {
        walks += 1;
        return [inner.xor(inner.and(x!, y!), c!), c!];
      });
      expect(gates.read(result!)).toEqual(a.map((bit, i) => (bit & b[i]!) ^ carry));
      expect(gates.read(same!)).toEqual(a.map(() => carry));
    };
    for (const lanes of [1, 1, 100, 200]) run(lanes, 1);
    expect(walks).toBe(2);
    run(1, 0);
    expect(walks).toBe(3);
    expect([gates.andGates, gates.batches]).toEqual([303, 5]);
    gates = new ClearGates();
    run(100, 1);
    expect(walks).toBe(3);
    expect([gates.andGates, gates.batches]).toEqual([100, 1]);
  });

  it('are forgotten when they are too much to keep', { tags: ['long'] }, () => {
    const gates = new CountingGates();
    let walks = 0;
    const run = (name: string, length: number) =>
      template(gates, name, [[gates.input(1)]], (inner, [[x]]) => {
        walks += 1;
        let last: Wires = x;
        for (let i = 0; i < length; i += 1) last = inner.not(last);
        return [last];
      });
    run('short', 1);
    run('short', 1);
    expect(walks).toBe(1);
    run('long', MOST_OPERANDS / 4);
    run('short', 1);
    expect(walks).toBe(3);
  });

  it('must treat all lanes alike', () => {
    const gates = new ClearGates();
    const a = gates.input(randomBits(64));
    const refused = 'expected to treat all lanes alike';
    expect(() =>
      template(gates, 'slice', [[a]], (inner, [[x]]) => [inner.not(inner.slice(x!, 1, 3))]),
    ).toThrow(refused);
    const reverse = Uint32Array.of(1, 0);
    expect(() => template(gates, 'gather', [[a]], (inner, [[x]]) => [inner.gather(x!, reverse)])).toThrow(
      refused,
    );
    expect(() => template(gates, 'lanes', [[a], [gates.constant(3, 0)]], (_, [[x]]) => [x!])).toThrow(
      '64 lanes, got 3',
    );
  });

  it('may not exceed what a step holds', () => {
    const gates = new CountingGates();
    const wide = gates.input(STEP_GATES / 2 + 1);
    const both = (inner: Gates, [[x]]: readonly [readonly [Wires]]) => inner.andEach([x, x], [x, x]);
    expect(() => gates.step(() => template(gates, 'both', [[wide]], both))).toThrow(RangeError);
  });
});

describe('misuse', () => {
  const gates = new CountingGates();
  const [four, five] = [gates.input(4), gates.input(5)];
  it.each([
    ['xor of different lengths', () => gates.xor(four, five), '"b" expected 4 lanes, got 5'],
    ['and of different lengths', () => gates.and(four, five), '"b" expected 4 lanes, got 5'],
    ['unequal lists', () => gates.andEach([four], []), '"b" expected as many vectors as "a" (1), got 0'],
    ['a slice beyond the end', () => gates.slice(four, 2, 5), 'range within 4 lanes, got 2 to 5'],
    ['an index beyond the end', () => gates.gather(four, Uint32Array.of(4)), 'numbers below 4'],
  ])('%s is refused', (_, run, text) => {
    expect(run).toThrow(text);
  });

  it('a vector is not crossed with part of another', () => {
    expect(gates.xorEach(four, gates.slice(four, 0, 2)).lanes).toBe(4);
    for (const bits of [four, gates.constant(4, 1), gates.constant(0, 1)]) {
      expect(() => gates.xorEach(five, bits)).toThrow('"a" expected a multiple of');
    }
  });

  it('a step of too many gates is refused', () => {
    const wide = gates.input(STEP_GATES);
    expect(gates.step(() => gates.and(wide, wide)).lanes).toBe(STEP_GATES);
    expect(() => gates.step(() => gates.andEach([wide, four], [wide, four]))).toThrow(RangeError);
  });

  it('bits that are missing, too many or no bits are refused', async () => {
    const session = new ClearSession();
    await expect(session.garblerInput(2)).rejects.toThrow('"bits" expected 2 bits, got none');
    await expect(session.garblerInput(2, Uint8Array.of(1))).rejects.toThrow('got 1');
    await expect(session.evaluatorInput(1, Uint8Array.of(2))).rejects.toThrow('0 or 1');
  });
});

describe('counting', () => {
  it('counts gates, batches, bytes and depth', () => {
    const circuit = (gates: CountingGates | DepthGates) => {
      const [a, b] = [gates.input(3), gates.input(3)];
      const c = gates.and(a, b);
      const d = gates.and(gates.not(c), gates.gather(b, Uint32Array.of(2, 1, 0)));
      return gates.andEach([gates.concat([d, gates.constant(1, 0)]), b], [gates.input(4), gates.xor(a, c)]);
    };
    const counting = new CountingGates();
    circuit(counting);
    expect([counting.andGates, counting.batches, counting.tableBytes]).toEqual([13, 3, 13 * 32]);
    const depth = new DepthGates();
    const results = circuit(depth);
    expect(results.map((wires) => depth.depth([wires]))).toEqual([3, 2]);
    expect(depth.depth([depth.slice(results[0]!, 3, 4)])).toBe(1);
  });
});
