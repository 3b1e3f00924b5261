/**
 * Noise for smooth sensitivity (Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data analysis", 2007): its shape, how smooth S
 * must be for an ε, and how many S it takes.
 *
 * An answer f takes noise cSZ. Between neighbours f moves by S at most, whichever of the two has it, and S changes by a factor e^λ, |λ| <= β. So noise has to
 * bear a shift by 1/c and a stretch by e^λ.
 *
 * Proof note of `derived`. Z has density h(z) = (√2/π)/(1 + z⁴). |d ln h/dz| = 4|z|³/(1 + z⁴) is at most 3^{3/4}, at z⁴ = 3: the shift costs 3^{3/4}/c.
 * The stretch changes ln(e^λ h(e^λ z)) by |λ| |1 − 4z⁴/(1 + z⁴)| <= 3β. With β = ε/6 and c = 2 · 3^{3/4}/ε both are ε/2: (ε, 0).
 *
 * `printed` has the constants of the paper for the same density, γ = 4: β = ε/(2(γ + 1)) and c = 2(γ + 1)/ε. They hold as well, by the same argument, less
 * tight: 10 S/ε where 4.6 S/ε do, and a larger S.
 *
 * Proof note of `printedLaplace`, the paper's constants for density exp(−|z|)/2: c = 2/ε and β = ε/(2L), L = ln(2/δ). The shift costs ε/2. The stretch
 * changes the logarithm of the density by |z|(e^λ − 1) − λ, which is below ε/2 for λ < 0, and for |z| <= L at most L(e^β − 1) − β. This is at most ε/2 = Lβ
 * where L(e^β − 1 − β) <= β, as it is for ε <= 3 and δ <= 0.09; |z| > L has probability δ/2. So the promise is (ε, δ), for ε <= 3; beyond, what is printed
 * is taken as it stands.
 *
 * `thesisLaplace` is that noise in the notation of the thesis, which multiplies S by exp(−kε) and noise by 1/ε: β = ε and c = 1/ε. **It has no proof, and
 * keeps no ε**: the shift alone costs ε, and the stretch, by e^ε, costs |z|(e^ε − 1) − ε, as much as one likes. An attack in audits.ts shows it.
 */
import { checkDelta, checkEpsilon } from '@eigenveil/privacy/parts';
import type { Budget } from '../privacy/methods/stage.ts';
import type { RealDraws } from '../privacy/random/real.ts';

export interface SmoothNoise {
  /**
   * β, how slowly S has to change, and c, how many S the noise takes.
   * @throws ERR_DP_PARAMETER unless ε > 0, and unless δ is in (0, 1) where the noise needs one
   */
  readonly admits: (budget: Budget) => { readonly beta: number; readonly factor: number };
  /** Z. */
  readonly draw: (draws: RealDraws) => number;
}

/** 3^{3/4}, rounded up. */
const STEEPEST = 2.279508;
/** The largest (1 + z²)/(1 + z⁴), at z² = √2 − 1. */
const CAUCHY_BOUND = (1 + Math.SQRT2) / 2;

/** Density (√2/π)/(1 + z⁴), out of Cauchy's by rejection. */
export function quartic(draws: RealDraws): number {
  for (;;) {
    const z = Math.tan(Math.PI * (draws.uniform() - 0.5));
    if (draws.uniform() * CAUCHY_BOUND <= (1 + z * z) / (1 + z ** 4)) return z;
  }
}

const laplace = (draws: RealDraws): number => draws.laplace();

/** Constants that are ε times or over fixed numbers. */
const linear =
  (betaOverEpsilon: number, factorTimesEpsilon: number): SmoothNoise['admits'] =>
  ({ epsilon }) => {
    checkEpsilon(epsilon);
    return { beta: betaOverEpsilon * epsilon, factor: factorTimesEpsilon / epsilon };
  };

export const SMOOTH_NOISES = {
  derived: { admits: linear(1 / 6, 2 * STEEPEST), draw: quartic },
  printed: { admits: linear(1 / 10, 10), draw: quartic },
  printedLaplace: {
    admits: ({ epsilon, dpDelta }) => {
      checkDelta(dpDelta);
      return linear(1 / (2 * Math.log(2 / dpDelta)), 2)({ epsilon, dpDelta });
    },
    draw: laplace,
  },
  thesisLaplace: { admits: linear(1, 1), draw: laplace },
} as const satisfies Readonly<Record<string, SmoothNoise>>;
