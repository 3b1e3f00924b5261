/** A thread that solves one problem of `searchAll` after the other with LIBSVM (Chang and Lin, 2011): C-SVC, RBF kernel. */
import { parentPort } from 'node:worker_threads';
import type { LabelledRows, SvmOutcome, SvmProblem } from './svm.ts';
import { weightedF1 } from './weighted-f1.ts';

// The library takes a runtime with fetch for a browser, fails to fetch a path, says so, and only then reads its file.
Reflect.deleteProperty(globalThis, 'fetch');
const { default: loading } = await import('libsvm-js/wasm.js');
const Svm = await loading;

parentPort!.on('message', (problem: SvmProblem) => parentPort!.postMessage(search(problem)));

/** The pair of C and γ with the best weighted F1 in cross-validation; among equals the least C, then the least γ. */
function search({ train, test, folds, grid }: SvmProblem): SvmOutcome {
  const scale = scaleOf(train.rows);
  const scaled = { rows: scaleRows(train.rows, scale), labels: train.labels };
  let best = { cost: grid.costs[0]!, gamma: grid.gammas[0]!, score: Number.NEGATIVE_INFINITY };
  for (const cost of grid.costs) {
    for (const gamma of grid.gammas) {
      // A single pair is not chosen, so it need not be tried.
      if (grid.costs.length * grid.gammas.length === 1) break;
      const score = weightedF1(train.labels, crossValidate(scaled, folds, cost, gamma));
      if (score > best.score) best = { cost, gamma, score };
    }
  }
  const { cost, gamma } = best;
  return { predicted: predict(scaled, scaleRows(test, scale), cost, gamma), cost, gamma };
}

/** Each row's label as predicted from the other folds. */
function crossValidate(
  { rows, labels }: LabelledRows,
  folds: readonly number[],
  cost: number,
  gamma: number,
): number[] {
  const predicted = new Array<number>(rows.length);
  for (const fold of new Set(folds)) {
    const indices = folds.map((_, row) => row);
    const inside = indices.filter((row) => folds[row] === fold);
    const outside = indices.filter((row) => folds[row] !== fold);
    const train = { rows: outside.map((row) => rows[row]!), labels: outside.map((row) => labels[row]!) };
    const labelsInside = predict(
      train,
      inside.map((row) => rows[row]!),
      cost,
      gamma,
    );
    inside.forEach((row, i) => {
      predicted[row] = labelsInside[i]!;
    });
  }
  return predicted;
}

function predict(
  { rows, labels }: LabelledRows,
  test: readonly (readonly number[])[],
  cost: number,
  gamma: number,
): number[] {
  const svm = new Svm({
    type: Svm.SVM_TYPES.C_SVC,
    kernel: Svm.KERNEL_TYPES.RBF,
    cost,
    gamma,
    quiet: true,
  });
  try {
    svm.train(rows, labels);
    return svm.predict(test);
  } finally {
    svm.free();
  }
}

/**
 * One factor for all features, after which they have variance 1 on average: it keeps the shape of the rows, so that turning
 * them changes nothing and all components of a PCA are as good as no projection.
 */
function scaleOf(rows: readonly (readonly number[])[]): number {
  const d = rows[0]!.length;
  const variances = Array.from({ length: d }, (_, j) => {
    const mean = rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length;
    return rows.reduce((sum, row) => sum + (row[j]! - mean) ** 2, 0) / rows.length;
  });
  const variance = variances.reduce((sum, value) => sum + value, 0) / d;
  return variance > 0 ? 1 / Math.sqrt(variance) : 1;
}

function scaleRows(rows: readonly (readonly number[])[], scale: number): number[][] {
  return rows.map((row) => row.map((value) => scale * value));
}
