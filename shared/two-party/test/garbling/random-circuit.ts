/** Circuits made of whatever fast-check draws. */
import fc from 'fast-check';
import type { Gates } from '../../src/garbling/gates.ts';
import { template } from '../../src/garbling/recorder.ts';
import type { Wires } from '../../src/garbling/wires.ts';
import type { Program } from '../support/garbled-run.ts';

export interface Recipe {
  readonly lanes: number;
  readonly operations: readonly { readonly kind: string; readonly a: number; readonly b: number }[];
}

const KINDS = [
  'and',
  'xor',
  'not',
  'batch',
  'adders',
  'crossed',
  'slice',
  'gather',
  'constant',
  'scope',
  'template',
] as const;

export const recipe: fc.Arbitrary<Recipe> = fc.record({
  lanes: fc.integer({ min: 1, max: 70 }),
  operations: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), a: fc.nat(1000), b: fc.nat(1000) }), {
    minLength: 1,
    maxLength: 40,
  }),
});

function apply(gates: Gates, pool: readonly Wires[], operation: Recipe['operations'][number]): Wires {
  const a = pool[operation.a % pool.length]!;
  const b = pool[operation.b % pool.length]!;
  const { lanes } = a;
  switch (operation.kind) {
    case 'and':
      return gates.and(a, b);
    case 'xor':
      return gates.xor(a, b);
    case 'not':
      return gates.not(a);
    case 'batch': {
      const [x, y, z] = gates.andEach([a, b, a], [b, gates.not(a), a]) as [Wires, Wires, Wires];
      return gates.xor(gates.xor(x, y), z);
    }
    case 'adders': {
      const sum = gates.blank(lanes);
      const carry = gates.blank(lanes);
      const added = [
        ...gates.addEach([
          [a, b, gates.not(a)],
          [b, gates.constant(lanes, 1), a],
        ]),
        ...gates.addEach([[a, b, gates.constant(lanes, 0)]], [{ sum, carry }]),
      ];
      return added
        .flatMap((bits) => [bits.sum, bits.carry])
        .reduce((x, y, i) => (i % 2 === 0 ? gates.xor(x, y) : gates.xor(gates.not(x), y)));
    }
    case 'crossed': {
      const bit = gates.slice(b, 0, 1);
      return gates.xorEach(a, bit);
    }
    case 'slice': {
      const cut = operation.b % (lanes + 1);
      return gates.concat([gates.slice(a, cut, lanes), gates.slice(b, 0, cut)]);
    }
    case 'gather':
      return gates.gather(
        a,
        Uint32Array.from({ length: lanes }, (_, i) => (i * 7 + operation.b) % lanes),
      );
    case 'constant':
      return gates.constants(Uint8Array.from({ length: lanes }, (_, i) => (operation.b >> (i % 10)) & 1));
    case 'template':
      return gates.xor(...templated(gates, a, b, operation.b));
    default:
      return gates.scope(() => {
        const waste = gates.and(a, b);
        return gates.not(gates.and(waste, gates.xor(a, b)));
      });
  }
}

/** Half of the operations in each of two steps; all values come out. */
export function programOf({ lanes, operations }: Recipe): Program {
  return async (session, garblerBits, evaluatorBits) => {
    const a = await session.garblerInput(lanes, garblerBits);
    const b = await session.evaluatorInput(lanes, evaluatorBits);
    let pool: Wires[] = [a, b];
    const half = Math.ceil(operations.length / 2);
    for (const part of [operations.slice(0, half), operations.slice(half)]) {
      const before = pool;
      pool = await session.step((gates) => {
        const grown = [...before];
        for (const operation of part) grown.push(apply(gates, grown, operation));
        return grown;
      });
    }
    return session.reveal(pool);
  };
}

/** A template within a template; its results are an input, a constant or computed. */
function templated(gates: Gates, a: Wires, b: Wires, drawn: number): [Wires, Wires] {
  const variant = drawn % 5;
  const constant = gates.constant(a.lanes, drawn & 1 ? 1 : 0);
  const [first, second] = template(
    gates,
    `drawn ${variant}`,
    [[a], [b, constant]],
    (inner, [[x], [y, c]]) => {
      const [sum] = template(inner, 'nested', [[y!, x!]], (innermost, [[p, q]]) => [
        innermost.not(innermost.xor(p!, q!)),
      ]);
      const [product, other] = inner.andEach([sum!, inner.not(x!)], [inner.xor(y!, c!), sum!]);
      const kept = inner.scope(() => inner.xor(inner.and(product!, x!), inner.not(other!)));
      return variant === 0 ? [x!, kept] : variant === 1 ? [c!, product!] : [inner.not(kept), other!];
    },
  );
  return [first!, second!];
}
