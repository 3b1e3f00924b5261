/**
 * Attacks on the data user's view. Each shows that something which the protocol forbids would break it, or how much the ideal functionality
 * itself gives away; docs/arguments/rotated.md lists them with what came out.
 */
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import type { RotatedParameters } from '@eigenveil/two-party/insides';
import {
  answered,
  doubles,
  drawSecrets,
  FAULTS,
  type Matrix,
  opened,
  type RotationSecrets,
  runClear,
  seededBits,
  settingOf,
  spread,
  symmetricMatrix,
  traceOf,
  view,
} from '@eigenveil/two-party/insides';
import { describe, expect, it } from 'vitest';
import { relativeError, scatterOf } from './scatters.ts';

describe('a second answer for the same data', () => {
  const d = 12;
  const k = 4;
  const { T, parameters } = scatterOf(spread(200, d, 11));

  it('gives T away: other directions each time, until there are d of them', () => {
    const random = seededBits('restarts');
    const guess = Array.from({ length: d }, () => new Array<number>(d).fill(0));
    for (let run = 0; run < d / k; run += 1) {
      const secrets = drawSecrets(parameters, k, random);
      const pairs = symmetricEigen(opened(T, secrets, parameters));
      const vectors = answered(pairs.vectors.slice(run * k, (run + 1) * k), secrets, parameters);
      for (const [v, vector] of vectors.entries()) {
        const value = pairs.values[run * k + v]!;
        for (let i = 0; i < d; i += 1)
          for (let j = 0; j < d; j += 1) guess[i]![j]! += value * vector[i]! * vector[j]!;
      }
    }
    expect(relativeError(guess, T)).toBeLessThan(3e-9);
  });

  it('once, the same directions give k of them and no more', () => {
    const secrets = drawSecrets(parameters, k, seededBits('once'));
    const pairs = symmetricEigen(opened(T, secrets, parameters));
    // The most that one answer can be used for: any k directions. The rest of T, up to its spectrum, stays as large as it is.
    const vectors = answered(pairs.vectors.slice(d - k), secrets, parameters);
    const guess = T.map((_, i) =>
      T.map((_, j) => vectors.reduce((sum, v, n) => sum + pairs.values[d - k + n]! * v[i]! * v[j]!, 0)),
    );
    expect(relativeError(guess, T)).toBeGreaterThan(0.9);
  });

  it('with the noise redrawn but the rotation kept averages the noise away', () => {
    const random = seededBits('reuse');
    const first = drawSecrets(parameters, k, random);
    const runs = 64;
    const errors = (count: number) => {
      const sum = T.map((row) => row.map(() => 0));
      for (let run = 0; run < count; run += 1) {
        const M = opened(T, { ...drawSecrets(parameters, k, random), rotation: first.rotation }, parameters);
        for (const [i, row] of M.entries()) for (const [j, x] of row.entries()) sum[i]![j]! += x / count;
      }
      const still = FAULTS['no noise']!(parameters, random, undefined);
      const exact = opened(T, { ...still, rotation: first.rotation }, parameters);
      return Math.hypot(...sum.flatMap((row, i) => row.map((x, j) => x - exact[i]![j]!)));
    };
    expect(errors(runs) / errors(1)).toBeLessThan(0.25);
  });
});

describe('exact arithmetic', () => {
  const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
  const { T: base, parameters } = scatterOf(spread(40, 4, 23));
  const T = base.map((row) => row.map((entry) => entry * 1009n));
  const divisor = (upper: readonly bigint[]) => upper.reduce(gcd, 0n);

  it('finds what divides T in M without a mask', () => {
    const secrets = FAULTS['no mask']!(parameters, seededBits('divisor'), undefined);
    expect(divisor(view(T, secrets)) % 1009n).toBe(0n);
  });

  it('finds nothing with it', () => {
    const random = seededBits('divisors');
    const multiples = Array.from({ length: 50 }).filter(
      () => divisor(view(T, drawSecrets(parameters, 1, random))) % 1009n === 0n,
    );
    expect(multiples).toEqual([]);
  });

  /** det M in units of 4^(−f d), by fraction-free elimination (Bareiss, 1968). */
  function determinant(upper: readonly bigint[], d: number): bigint {
    const matrix = symmetricMatrix(upper, d);
    let previous = 1n;
    for (let p = 0; p < d - 1; p += 1) {
      for (let i = p + 1; i < d; i += 1) {
        for (let j = p + 1; j < d; j += 1) {
          matrix[i]![j] = (matrix[i]![j]! * matrix[p]![p]! - matrix[i]![p]! * matrix[p]![j]!) / previous;
        }
      }
      previous = matrix[p]![p]!;
    }
    return matrix[d - 1]![d - 1]!;
  }

  /** The whole number nearest to det M, which would be det T were M exact. */
  function nearestDeterminant(small: Matrix, secrets: RotationSecrets): bigint {
    const d = small.length;
    const half = 1n << BigInt(parameters.maskBits - 1);
    const det = determinant(
      view(small, secrets).map((x) => x - half),
      d,
    );
    const bits = BigInt(2 * parameters.rotationBits * d);
    return (det + (1n << (bits - 1n))) >> bits;
  }

  it('finds the determinant of T without noise, and not with it', () => {
    // 2^48 or so: within the precision of P, beyond that of the noise.
    const small = [
      [9001n, 1200n, -311n, 57n],
      [1200n, 7003n, 400n, -21n],
      [-311n, 400n, 3001n, 88n],
      [57n, -21n, 88n, 1501n],
    ];
    const exact = determinant(
      small.flatMap((row, i) => row.slice(i)),
      4,
    );
    const half = 1n << BigInt(parameters.maskBits - 1);
    const still = FAULTS['no noise']!(parameters, seededBits('determinant'), undefined);
    expect(nearestDeterminant(small, { ...still, mask: still.mask.map(() => half) })).toBe(exact);
    const random = seededBits('determinants');
    const hits = Array.from({ length: 40 }).filter(
      () => nearestDeterminant(small, drawSecrets(parameters, 1, random)) === exact,
    );
    expect(hits.length).toBeLessThan(3);
  });

  it('finds whole numbers where T is so small that the declared spectrum tells them', () => {
    const small = [
      [5n, 1n],
      [1n, 3n],
    ];
    const half = 1n << BigInt(parameters.maskBits - 1);
    const M = view(small, drawSecrets({ ...parameters, features: 2 }, 1, seededBits('small'))).map(
      (x) => x - half,
    );
    const bits = BigInt(2 * parameters.rotationBits);
    const trace = (M[0]! + M[2]! + (1n << (bits - 1n))) >> bits;
    expect(trace).toBe(traceOf(small));
  });
});

describe('two tasks over nearly the same data', () => {
  it('tell the length of the added row along each known direction, as two spectra must', () => {
    const rows = spread(200, 6, 31);
    const { T, parameters } = scatterOf(rows);
    // Keeping Q fixed makes the difference a matrix of rank 1: Q x xᵀ, as for a known Q and mean.
    const x = [4000n, -900n, 2500n, 300n, -1200n, 700n];
    const Q = 200n;
    const more = T.map((row, i) => row.map((entry, j) => entry + Q * x[i]! * x[j]!));
    const spectrum = (matrix: Matrix, seed: string) =>
      symmetricEigen(opened(matrix, drawSecrets(parameters, 1, seededBits(seed)), parameters)).values;
    const [before, after] = [spectrum(T, 'before'), spectrum(more, 'after')];
    // The secular equation (Golub, 1973): (u_iᵀ x)² Q = Π_j (μ_j − λ_i) / Π_{j ≠ i} (λ_j − λ_i).
    const found = before.map(
      (value, i) =>
        before.reduce((product, other, j) => (j === i ? product : product / (other - value)), 1) *
        after.reduce((product, other) => product * (other - value), 1),
    );
    const exact = symmetricEigen(doubles(T, 1)).vectors.map(
      (u) => Number(Q) * u.reduce((sum, entry, i) => sum + entry * Number(x[i]!), 0) ** 2,
    );
    const [largest] = exact;
    expect(Math.abs(found[0]! / largest! - 1)).toBeLessThan(1e-4);
  });
});

describe('equal and zero eigenvalues', () => {
  it('leave the vectors of an eigenspace a uniform choice of the noise, whatever T’s own axes', () => {
    const { parameters } = scatterOf(spread(40, 3, 5));
    const T: Matrix = [
      [1n << 50n, 0n, 0n],
      [0n, 1n << 50n, 0n],
      [0n, 0n, 0n],
    ];
    const random = seededBits('eigenspace');
    // The angle of the first vector within the plane e_1, e_2 takes each quarter of the half circle as often.
    const quarters = [0, 0, 0, 0];
    for (let run = 0; run < 400; run += 1) {
      const secrets = drawSecrets(parameters, 1, random);
      const [vector] = answered(
        symmetricEigen(opened(T, secrets, parameters)).vectors.slice(0, 1),
        secrets,
        parameters,
      );
      const angle = (Math.atan2(vector![1]!, vector![0]!) + Math.PI) % Math.PI;
      quarters[Math.min(3, Math.floor((4 * angle) / Math.PI))]! += 1;
      expect(Math.abs(vector![2]!)).toBeLessThan(1e-8);
    }
    expect(quarters.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0)).toBeLessThan(21);
  });
});

describe('two one-hot groups of features, whose sums everybody knows', () => {
  const d = 9;
  const next = generator(5);
  const rows = Array.from({ length: 300 }, () => {
    const held = [Math.floor(5 * next()), 5 + Math.floor(4 * next() ** 2)];
    return Array.from({ length: d }, (_, i) => (held.includes(i) ? 1 : -1));
  });
  const setting = (allowFullRank: boolean) => settingOf({ rows, components: 6, program: { allowFullRank } });

  it('give T away with 6 vectors and the spectrum: the last direction is what remains', async () => {
    const secrets = (parameters: RotatedParameters) => drawSecrets(parameters, 6, seededBits('one-hot'));
    const { vectors, spectrum } = (await runClear(setting(true), { secrets })).result;
    // I − Σ w wᵀ over the six vectors and both groups: the projection on the last direction.
    const groups = [0, 1].map((g) =>
      Array.from({ length: d }, (_, i) => (i < 5 === (g === 0) ? 1 / Math.sqrt(g === 0 ? 5 : 4) : 0)),
    );
    const weights = [
      ...spectrum!.slice(0, 6).map((value) => value - spectrum![6]!),
      -spectrum![6]!,
      -spectrum![6]!,
    ];
    const guess = groups[0]!.map((_, i) =>
      groups[0]!.map((_unused, j) =>
        [...vectors, ...groups].reduce(
          (sum, vector, v) => sum + weights[v]! * vector[i]! * vector[j]!,
          i === j ? spectrum![6]! : 0,
        ),
      ),
    );
    const { T } = scatterOf(rows);
    const scale = rows.length * 4 ** 14;
    expect(
      relativeError(
        guess.map((row) => row.map((x) => x * scale)),
        T,
      ),
    ).toBeLessThan(1e-9);
  });

  it('are refused without consent', async () => {
    await expect(runClear(setting(false))).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
  });
});
