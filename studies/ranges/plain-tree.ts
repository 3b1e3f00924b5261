/**
 * The plain binary tree: noise on every node, and an interval is the sum of the fewest nodes, which nothing makes consistent.
 *
 * Nodes lie in a heap: 1 is the root, 2v and 2v + 1 are below v, and the bins are N … 2N − 1. The mean over all intervals of squared sums takes
 * O(N): an interval whose smallest containing node is v is v itself, or a suffix of the left half and a prefix of the right one.
 * Over all suffixes S and prefixes P of halves of m bins, Σ (S + P)² = m Σ S² + m Σ P² + 2 Σ S Σ P.
 */
import type { Interval } from '@eigenveil/release';

/** The number of numbers in a noisy tree; the first is not used. */
export const heapLength = (bins: number): number => 2 * bins;

/** The fewest nodes that an interval is the sum of. */
export function nodesOf(bins: number, { from, to }: Interval): number[] {
  const nodes: number[] = [];
  for (let [l, r] = [from + bins, to + bins]; l < r; l = Math.floor(l / 2), r = Math.floor(r / 2)) {
    if (l % 2 === 1) {
      nodes.push(l);
      l += 1;
    }
    if (r % 2 === 1) {
      r -= 1;
      nodes.push(r);
    }
  }
  return nodes;
}

/** Sums over the ends of a node, of one bin up to all of it: of the noise on what answers them, and of its squares. */
interface Ends {
  readonly sum: number;
  readonly squares: number;
}

/** Σ over all intervals of the squared noise on what answers them, over their number. */
export function meanSquareOfTree(noise: readonly number[]): number {
  const bins = noise.length / 2;
  const leaves = noise.slice(bins).map((own): Ends => ({ sum: own, squares: own ** 2 }));
  let [prefixes, suffixes] = [leaves, leaves];
  let total = leaves.reduce((sum, { squares }) => sum + squares, 0);
  for (let size = 2; size <= bins; size *= 2) {
    const half = size / 2;
    const parents = Array.from({ length: bins / size }, (_, i) => bins / size + i);
    parents.forEach((v, i) => {
      const [S, P] = [suffixes[2 * i]!, prefixes[2 * i + 1]!];
      const halves = noise[2 * v]! + noise[2 * v + 1]!;
      const all = half * (S.squares + P.squares) + 2 * S.sum * P.sum;
      // Both halves whole are the node itself.
      total += all - halves ** 2 + noise[v]! ** 2;
    });
    // A longer end is one half and an end of the other; the longest is the node itself.
    const longer = (ends: readonly Ends[], v: number, near: number, far: number): Ends => {
      const [own, other] = [ends[near - (2 * bins) / size]!, ends[far - (2 * bins) / size]!];
      const whole = noise[near]!;
      const [sum, squares] = [other.sum - noise[far]!, other.squares - noise[far]! ** 2];
      return {
        sum: own.sum + (half - 1) * whole + sum + noise[v]!,
        squares: own.squares + (half - 1) * whole ** 2 + 2 * whole * sum + squares + noise[v]! ** 2,
      };
    };
    [prefixes, suffixes] = [
      parents.map((v) => longer(prefixes, v, 2 * v, 2 * v + 1)),
      parents.map((v) => longer(suffixes, v, 2 * v + 1, 2 * v)),
    ];
  }
  return (2 * total) / (bins * (bins + 1));
}
