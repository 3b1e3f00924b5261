/** Comparisons, selection, and shifts by secret places. */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { subtract } from './add.ts';
import { lanesOf, type Num, resize, sign } from './number.ts';

/** 1 where a < b. As many gates as bits of the longer. */
export function lessThan(gates: Gates, a: Num, b: Num): Wires {
  return gates.scope(() => sign(subtract(gates, a, b)));
}

/** 1 where all wires are 1: one gate less than there are wires, log2 of them in batches. */
export function all(gates: Gates, wires: readonly Wires[]): Wires {
  let level = [...wires];
  while (level.length > 1) {
    const half = level.length >> 1;
    const products = gates.andEach(level.slice(0, half), level.slice(half, 2 * half));
    level = [...products, ...level.slice(2 * half)];
  }
  return level[0]!;
}

export function isZero(gates: Gates, a: Num): Wires {
  return gates.scope(() =>
    all(
      gates,
      a.map((bit) => gates.not(bit)),
    ),
  );
}

export function equal(gates: Gates, a: Num, b: Num): Wires {
  const bits = Math.max(a.length, b.length);
  const [x, y] = [resize(a, bits), resize(b, bits)];
  return gates.scope(() =>
    isZero(
      gates,
      x.map((bit, i) => gates.xor(bit, y[i]!)),
    ),
  );
}

/** a where the condition is 1, otherwise b. A gate per bit of the longer, in one batch. */
export function select(gates: Gates, condition: Wires, a: Num, b: Num): Num {
  const bits = Math.max(a.length, b.length);
  const [x, y] = [resize(a, bits), resize(b, bits)];
  return gates.scope(() => {
    const chosen = mask(
      gates,
      condition,
      x.map((bit, i) => gates.xor(bit, y[i]!)),
    );
    return chosen.map((bit, i) => gates.xor(bit, y[i]!));
  });
}

/** a where the condition is 1, otherwise 0. */
export function mask(gates: Gates, condition: Wires, a: Num): Num {
  return gates.andEach(a, new Array<Wires>(a.length).fill(condition));
}

export function minimum(gates: Gates, a: Num, b: Num): Num {
  return gates.scope(() => select(gates, lessThan(gates, a, b), a, b));
}

export function maximum(gates: Gates, a: Num, b: Num): Num {
  return gates.scope(() => select(gates, lessThan(gates, a, b), b, a));
}

/** a * 2^places modulo 2^bits of a; `places` is read as unsigned bits. A gate per bit of both. */
export function shiftLeftBy(gates: Gates, a: Num, places: Num): Num {
  return template(gates, 'shift left', [a, places], (inner, [x, by]) => {
    const zero = inner.constant(lanesOf(x), 0);
    return shiftBy(inner, x, by, (number, distance) =>
      number.map((_, i) => (i >= distance ? number[i - distance]! : zero)),
    );
  });
}

/** As `shiftLeftBy`, and 1 where a * 2^places has no more bits than a: a gate or two per bit more. */
export function shiftLeftChecked(
  gates: Gates,
  a: Num,
  places: Num,
): { readonly value: Num; readonly fits: Wires } {
  const both = template(gates, 'shift left checked', [a, places], (inner, [x, by]) => {
    const zero = inner.constant(lanesOf(x), 0);
    let number: Num = x;
    const kept: Wires[] = [];
    for (const [k, bit] of by.entries()) {
      const distance = Math.min(2 ** k, x.length);
      const moved = [...new Array<Wires>(distance).fill(zero), ...number.slice(0, x.length - distance)];
      // Nothing is lost where what leaves at the top is what the sign is then.
      const top = [zero, ...number].slice(-distance - 1);
      const equal = top.slice(1).map((wires, i) => inner.not(inner.xor(wires, top[i]!)));
      kept.push(inner.not(inner.and(bit, inner.not(all(inner, equal)))));
      number = select(inner, bit, moved, number);
    }
    return [...number, all(inner, kept)];
  });
  return { value: both.slice(0, -1), fits: both.at(-1)! };
}

/** The floor of a / 2^places, of the length of a; `places` is read as unsigned bits. */
export function shiftRightBy(gates: Gates, a: Num, places: Num): Num {
  return template(gates, 'shift right', [a, places], (inner, [x, by]) => {
    const top = sign(x);
    return shiftBy(inner, x, by, (number, distance) => number.map((_, i) => number[i + distance] ?? top));
  });
}

function shiftBy(gates: Gates, a: Num, places: Num, shifted: (number: Num, distance: number) => Num): Num {
  let number = a;
  for (const [k, bit] of places.entries()) {
    // Beyond the length every distance is alike, and 2^k must not overflow.
    const moved = shifted(number, Math.min(2 ** k, a.length));
    number = select(gates, bit, moved, number);
  }
  return number;
}
