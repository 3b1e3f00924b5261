/** The scatter of pooled statistics in whole numbers: what the protocol `rotated` turns. */
import type { Statistics } from '@eigenveil/statistics';
import { symmetricMatrix } from '@eigenveil/two-party/insides';

/** T = Q R − V Vᵀ, over all classes together. */
export function wholeScatter({ R, labellings }: Statistics): bigint[][] {
  const { V, M } = labellings[0]!.reduce((a, b) => ({ V: a.V.map((v, i) => v + b.V[i]!), M: a.M + b.M }));
  return symmetricMatrix(R, V.length).map((row, i) => row.map((entry, j) => M * entry - V[i]! * V[j]!));
}
