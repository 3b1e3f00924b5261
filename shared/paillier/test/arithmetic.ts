/** Schoolbook number theory for checking the package against, sharing no code with it. */

export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === '1') result = (result * base) % modulus;
  }
  return result;
}

export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

export function inverse(a: bigint, modulus: bigint): bigint {
  let [r0, r1, s0, s1] = [a % modulus, modulus, 1n, 0n];
  while (r1 !== 0n) [r0, r1, s0, s1] = [r1, r0 % r1, s1, s0 - (r0 / r1) * s1];
  return ((s0 % modulus) + modulus) % modulus;
}

/** The Jacobi symbol (value / modulus) for an odd modulus. */
export function jacobi(value: bigint, modulus: bigint): number {
  let [a, m, sign] = [value % modulus, modulus, 1];
  while (a !== 0n) {
    while (a % 2n === 0n) {
      a /= 2n;
      if (m % 8n === 3n || m % 8n === 5n) sign = -sign;
    }
    [a, m] = [m, a];
    if (a % 4n === 3n && m % 4n === 3n) sign = -sign;
    a %= m;
  }
  return m === 1n ? sign : 0;
}

/** floor(sqrt(value)), by Newton's method. */
export function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
