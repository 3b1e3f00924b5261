/**
 * Attacks on the data user's view of a pencil. Each shows that something which the protocol does, or refuses, is needed: with it taken
 * away the attack succeeds. docs/arguments/rotated-pencils.md lists them with what came out.
 */
import { generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import type { Matrix, RandomBits } from '@eigenveil/two-party/insides';
import {
  type Doubles,
  dca,
  drawPencilSecrets,
  KS_LIMIT,
  labelled,
  type PencilSecrets,
  pencilSetting,
  runPencil,
  seededBits,
  smirnov,
  times,
  transposed,
} from '@eigenveil/two-party/insides';
import { describe, expect, it } from 'vitest';
import { diagonal, distance, inner, instance, inverse, orthogonal, sizes } from './instances.ts';
import { type PencilView, pencilView } from './pencil-views.ts';

/** The leading eigenvectors of (A, B), so long that wᵀ B w = 1: the data user knows these lengths. */
function toldVectors(A: Doubles, B: Doubles, count: number): number[][] {
  return generalisedEigen(A, B)
    .vectors.slice(0, count)
    .map((w) => {
      const length = Math.sqrt(
        inner(
          w,
          B.map((row) => inner(row, w)),
        ),
      );
      return w.map((x) => x / length);
    });
}

describe('two pencils of equal spectra', () => {
  const d = 4;
  const parameters = sizes(d, 2);
  const spectrum = [9, 5, 3, 1].map((value) => value * 2 ** 40);
  const S = [0.9, 0.5];
  const one = diagonal([1, 1, 1, 1]);
  const left = instance(spectrum, one, S, one, diagonal([1, 1]));
  const right = instance(spectrum, orthogonal(d, 3), S, orthogonal(d, 4), orthogonal(2, 5));
  const COUNT = 250;

  type Drawer = (random: RandomBits) => PencilSecrets;
  const honest: Drawer = (random) => drawPencilSecrets(parameters, random);
  const identity = (n: number, bits: number): Matrix =>
    Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_, j) => (i === j ? 1n << BigInt(bits) : 0n)),
    );
  const faults: Readonly<Record<string, Drawer>> = {
    'no P₂': (random) => ({ ...honest(random), turn: identity(d, parameters.rotationBits) }),
    'P₂ = P': (random) => {
      const secrets = honest(random);
      return { ...secrets, turn: secrets.rotation };
    },
    'no O': (random) => ({ ...honest(random), mixing: identity(2, parameters.mixingBits) }),
  };

  const features: readonly ((seen: PencilView) => number)[] = [
    ({ M }) => M[0]![0]!,
    ({ Y }) => Y[0]![0]!,
    ({ M, Y }) => times(times(transposed(Y), M), Y).reduce((sum, row, i) => sum + row[i]!, 0),
    ({ M, left: u }) =>
      inner(
        u[0]!,
        times(
          M,
          u[0]!.map((x) => [x]),
        ).flat(),
      ),
    ({ Y }) => times(transposed(Y), Y)[0]![1]!,
    ({ Y }) => times(transposed(Y), Y)[0]![0]!,
    ({ M, Y }) => Math.abs(M[0]![1]! * Y[0]![1]!),
  ];

  /** The largest Smirnov statistic between the two over all features. */
  function largest(drawer: Drawer): number {
    const seen = [left, right].map(({ T, G }, side) => {
      const random = seededBits(`side ${side}`);
      return Array.from({ length: COUNT }, () => pencilView(T, G, drawer(random), parameters));
    });
    return Math.max(...features.map((feature) => smirnov(seen[0]!.map(feature), seen[1]!.map(feature))));
  }

  it('are not told apart', () => {
    expect(largest(honest)).toBeLessThan(KS_LIMIT);
  });

  it('are, with no O', () => {
    expect(largest(faults['no O']!)).toBeGreaterThan(KS_LIMIT);
  });

  it.each(['no P₂', 'P₂ = P'])('are, with %s', { tags: ['long'] }, (fault) => {
    expect(largest(faults[fault]!)).toBeGreaterThan(KS_LIMIT);
  });
});

describe('P₂ᵀ A', () => {
  it('opened in the frame of P would tell how B stretches B·w', () => {
    const d = 5;
    const parameters = sizes(d, 2);
    const { T, G } = instance(
      [9, 5, 3, 2, 1].map((value) => value * 2 ** 40),
      orthogonal(d, 6),
      [0.9, 0.5],
      orthogonal(d, 7),
      orthogonal(2, 8),
    );
    const secrets = drawPencilSecrets(parameters, seededBits('opened'));
    const { M, root, normalised, left, answer } = pencilView(T, G, secrets, parameters);
    const B = T.map((row) => row.map(Number));
    // wᵀ B² w of the answer, brought from C̃'s scale to wᵀ B w = 1.
    const [w] = answer(left.slice(0, 1));
    const scale = inner(root[0]!, root[0]!) / inner(normalised[0]!, normalised[0]!);
    const Bw = times(
      B,
      w!.map((x) => [x]),
    ).flat();
    const exact = scale * inner(Bw, Bw);
    const read = (s: readonly number[]) => {
      const Pw = times([s], root);
      const MPw = times(Pw, M)[0]!;
      return inner(MPw, MPw);
    };
    const turn = secrets.turn.map((row) => row.map((x) => Number(x) * 2 ** -parameters.rotationBits));
    expect(Math.abs(read(times([left[0]!], turn)[0]!) / exact - 1)).toBeLessThan(1e-6);
    expect(Math.abs(read(left[0]!) / exact - 1)).toBeGreaterThan(1e-2);
  });
});

describe('d − 1 vectors', () => {
  it('and the spectrum of B give B up to signs, so that d − 2 are the most', () => {
    const d = 5;
    const E = orthogonal(d, 9);
    const B = times(times(E, diagonal([9, 5, 3, 2, 1])), transposed(E));
    const G = orthogonal(d, 10).map((row) => row.slice(0, d - 1).map((x, j) => x * (1 + j)));
    const W = toldVectors(times(G, transposed(G)), B, d - 1);
    // B⁻¹ = WWᵀ + ω ωᵀ, and by the secular equation ω's squares along the eigenvectors q of WWᵀ.
    const { values: n, vectors: q } = symmetricEigen(times(transposed(W), W));
    const inverses = symmetricEigen(B).values.map((value) => 1 / value);
    const squares = n.map(
      (own, i) =>
        inverses.reduce((product, value) => product * (value - own), 1) *
        n.reduce((product, other, j) => (j === i ? product : product / (other - own)), 1),
    );
    const guesses = Array.from({ length: 2 ** d }, (_, signs) => {
      const omega = E[0]!.map((_x, row) =>
        squares.reduce(
          (sum, square, i) => sum + ((signs >> i) & 1 ? -1 : 1) * Math.sqrt(Math.abs(square)) * q[i]![row]!,
          0,
        ),
      );
      const guess = times(transposed(W), W).map((row, i) => row.map((x, j) => x + omega[i]! * omega[j]!));
      return distance(inverse(guess), B);
    });
    expect(Math.min(...guesses)).toBeLessThan(1e-6);
  });
});

describe('a scatter of as low a rank as there are components', () => {
  const d = 6;
  // Every row a class of its own.
  const { rows } = labelled(4, d, 4, 21);
  const given = {
    rows,
    labellings: [{ classes: 4, labels: [0, 1, 2, 3] }],
    components: 3,
    method: dca(0.001),
  };

  it('follows from vectors of known lengths', () => {
    const mean = rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[j]! / 4, 0));
    const centred = rows.map((row) => row.map((x, j) => x - mean[j]!));
    const T = times(transposed(centred), centred);
    const B = T.map((row, i) => row.map((x, j) => (i === j ? x + 0.001 : x)));
    const W = toldVectors(T, B, 3);
    // On their span B is the inverse of WWᵀ, and T is that less ρ.
    const onSpan = inverse(times(transposed(W), W), 3);
    const projector = times(onSpan, times(transposed(W), W));
    const guess = onSpan.map((row, i) => row.map((x, j) => x - 0.001 * projector[i]![j]!));
    expect(distance(guess, T)).toBeLessThan(1e-9);
  });

  it('is refused without consent, as are too many variances of two values', async () => {
    const { user } = await runPencil(pencilSetting(given));
    expect(user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_FULL_RANK' } });
    const consented = await runPencil(pencilSetting({ ...given, program: { allowFullRank: true } }));
    expect(consented.user.status).toBe('fulfilled');
    // One of 6 dimensions known: 5 are left, 10 angles. Ten public variances are as many equations.
    const wide = { ...labelled(60, d, 2), components: 1, method: dca(0.1) };
    const outputs = ['sampleCount', 'spectrum'] as const;
    const outcomes = [9, 10].map(async (twoValued) => {
      const { user: outcome } = await runPencil(pencilSetting({ ...wide, program: { outputs, twoValued } }));
      return outcome.status;
    });
    expect(await Promise.all(outcomes)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a second answer for the same data', () => {
  const d = 6;
  const k = 2;
  const parameters = sizes(d, d, k);
  const { T, G } = instance(
    [9, 7, 5, 3, 2, 1].map((value) => value * 2 ** 40),
    orthogonal(d, 12),
    [0.95, 0.9, 0.8, 0.6, 0.4, 0.2],
    orthogonal(d, 13),
    orthogonal(d, 14),
  );
  const B = T.map((row) => row.map(Number));

  /** Vectors of so many answers, of other directions each time. */
  function answers(count: number) {
    const random = seededBits('answers');
    return Array.from({ length: count }).flatMap((_, run) => {
      const { left, root, normalised, answer } = pencilView(
        T,
        G,
        drawPencilSecrets(parameters, random),
        parameters,
      );
      const scale = Math.sqrt(inner(root[0]!, root[0]!) / inner(normalised[0]!, normalised[0]!));
      return answer(left.slice(run * k, (run + 1) * k)).map((w) => w.map((x) => x * scale));
    });
  }

  it('gives T away: all W with WᵀBW = I', () => {
    const W = answers(d / k);
    expect(distance(inverse(times(transposed(W), W)), B)).toBeLessThan(1e-6);
  });

  it('once, k vectors of known lengths and no more', () => {
    const W = answers(1);
    expect(distance(times(W, times(B, transposed(W))), diagonal([1, 1]))).toBeLessThan(1e-6);
    const guess = inverse(times(transposed(W), W), k);
    expect(distance(guess, B)).toBeGreaterThan(0.3);
  });
});

describe('spectra alone, of attempts that add c·x xᵀ to T', () => {
  const d = 5;
  const parameters = sizes(d, 1);
  const { T } = instance(
    [9, 7, 5, 3, 1].map((value) => value * 2 ** 40),
    orthogonal(d, 15),
    [0.5],
    orthogonal(d, 16).map((row) => row.slice(0, 1)),
    diagonal([1]),
  );
  const B = T.map((row) => row.map(Number));
  const random = seededBits('spectra');
  const c = 2 ** 41;
  const spectrumWith = (x: readonly number[]) => {
    const more = T.map((row, i) => row.map((entry, j) => entry + BigInt(c * x[i]! * x[j]!)));
    const zero = T.map(() => [0]);
    const { M } = pencilView(more, zero, drawPencilSecrets(parameters, random), parameters);
    return symmetricEigen(M).values;
  };

  it('give T away, so that an answer is marked before M', () => {
    const unit = (...places: number[]) => T.map((_, i) => (places.includes(i) ? 1 : 0));
    const before = spectrumWith(unit());
    // (u_iᵀ x)² for every eigenvector u_i, by the secular equation.
    const squares = (x: readonly number[]) => {
      const after = spectrumWith(x);
      return before.map(
        (value, i) =>
          (before.reduce((product, other, j) => (j === i ? product : product / (other - value)), 1) *
            after.reduce((product, other) => product * (other - value), 1)) /
          c,
      );
    };
    const first = squares(unit(0));
    const others = T.slice(1).map((_, j) => ({ own: squares(unit(j + 1)), sum: squares(unit(0, j + 1)) }));
    // Entries of u_i as if its first were positive: their products with it follow from sums.
    const vectors = before.map((_, i) => {
      const head = Math.sqrt(Math.abs(first[i]!));
      return [head, ...others.map(({ own, sum }) => (sum[i]! - first[i]! - own[i]!) / (2 * head))];
    });
    const guess = times(times(transposed(vectors), diagonal(before)), vectors);
    expect(distance(guess, B)).toBeLessThan(1e-6);
  });
});

describe('repeated values of the pencil', () => {
  it('leave the vectors of their space a uniform choice of the noise', () => {
    const d = 4;
    const parameters = sizes(d, 2);
    const one = diagonal([1, 1, 1, 1]);
    const { T, G } = instance(
      [3, 3, 3, 3].map((value) => value * 2 ** 40),
      one,
      [0.8, 0.8],
      one,
      diagonal([1, 1]),
    );
    const random = seededBits('repeated');
    const quarters = [0, 0, 0, 0];
    for (let run = 0; run < 200; run += 1) {
      const { left, answer } = pencilView(T, G, drawPencilSecrets(parameters, random), parameters);
      const [w] = answer(left.slice(0, 1));
      const angle = (Math.atan2(w![1]!, w![0]!) + 2 * Math.PI) % Math.PI;
      quarters[Math.min(3, Math.floor((4 * angle) / Math.PI))]! += 1;
      expect(Math.hypot(w![2]!, w![3]!)).toBeLessThan(1e-8);
    }
    expect(quarters.reduce((sum, count) => sum + (count - 50) ** 2 / 50, 0)).toBeLessThan(21);
  });
});
