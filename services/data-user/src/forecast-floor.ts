/** What the floor will cost: its noise is drawn a few times over the sample's own statistics, at the sample's number of rows and at as many as all owners may bring. */
import {
  correlationOf,
  generalisedEigen,
  ProjectionError,
  ridgeRegression,
  symmetricEigen,
  totalScatter,
  undividedVariances,
  withinClassScatter,
} from '@eigenveil/projection/portable';
import type { Statistics } from '@eigenveil/statistics/owner';
import {
  cappedComponents,
  type Floor,
  floorOf,
  isStandardised,
  productOfGrains,
  programOf,
  type TaskProposal,
} from '@eigenveil/task';

type Matrix = number[][];

export interface FloorForecast {
  /** What a part is one of: of the variance, of what tells classes apart, of the variance of what is predicted. */
  readonly of: 'variance' | 'separation' | 'target';
  /** What the exact result has of it in the sample: of separation all. */
  readonly exact: number;
  /** What is left with the floor, on average; null where it may end with ERR_NOT_POSITIVE_DEFINITE. */
  readonly floor: readonly { readonly rows: number; readonly part: number | null }[];
}

/** Fewer draws of a large matrix do. */
const DRAWS = 8;
const DRAWS_OF_LARGE = 3;
const LARGE = 60;
/** Both servers. */
const SERVERS = 2;

/** Undefined where there is no floor, or noise for differential privacy beside it, without grains, and where the sample has no result. */
export function forecastFloor(
  task: TaskProposal,
  { statistics, rows }: { readonly statistics: Statistics; readonly rows: number },
): FloorForecast | undefined {
  const floor = floorOf(task);
  const areDeclared = task.features.every(({ min, max, grain }) => min === max || grain !== undefined);
  if (floor === undefined || !areDeclared || task.differentialPrivacy !== null || task.sketch !== undefined)
    return undefined;
  const draws = task.features.length > LARGE ? DRAWS_OF_LARGE : DRAWS;
  try {
    const sample = new Simulation(task, floor, statistics, 1);
    const points = [1, task.maximumOwners].map((times) => {
      const simulation = new Simulation(task, floor, statistics, times);
      return { rows: rows * times, part: meanOf(Array.from({ length: draws }, () => simulation.part())) };
    });
    return { of: ofMethod(task), exact: sample.exact(), floor: points };
  } catch (error) {
    if (error instanceof ProjectionError) return undefined;
    throw error;
  }
}

const ofMethod = ({ method }: TaskProposal) =>
  method.kind === 'pca' ? 'variance' : method.kind === 'ridge' ? 'target' : 'separation';

function meanOf(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>(
    (sum, part) => (sum === null || part === null ? null : sum + part / parts.length),
    0,
  );
}

/** In words, one line. */
export function describeFloor(
  { components, method }: TaskProposal,
  forecast: FloorForecast | undefined,
): string[] {
  if (forecast === undefined) return [];
  const { of, exact, floor } = forecast;
  const [own, all] = floor.map(({ part }) => (part === null ? 'perhaps no result' : percent(part)));
  const points = `${own} with as many rows as the sample has (${rowsOf(floor[0])}), and ${all} with one such sample from each owner (${rowsOf(floor[1])})`;
  if (of === 'variance')
    return [
      `the floor: in the sample ${components} components capture ${percent(exact)} of the variance${method.kind === 'pca' && method.scale === 'correlation' ? ' of standardised features' : ''}; with noise of both servers ${points}`,
    ];
  if (of === 'target')
    return [
      `the floor: in the sample a regression explains ${percent(exact)} of the variance; with noise of both servers ${points}`,
    ];
  return [
    `the floor: of what tells the classes of the sample apart, components with noise of both servers keep ${points}`,
  ];
}

const rowsOf = (point: FloorForecast['floor'][number] | undefined) => point?.rows.toLocaleString('en-US');

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

/** One server's draws are those of any other run, so that a draft says the same each time. */
const SEED = 1;

class Simulation {
  readonly #task: TaskProposal;
  readonly #floor: Floor;
  /** S̄ and S_W of so many times the sample; empty of mdr. */
  readonly #total: Matrix;
  readonly #within: Matrix;
  readonly #sums: readonly (readonly { readonly V: readonly number[]; readonly M: number }[])[];
  readonly #mean: readonly number[];
  #state = SEED;

  constructor(task: TaskProposal, floor: Floor, statistics: Statistics, times: number) {
    const { fractionBits, method } = task;
    const scaled = (matrix: Matrix) => matrix.map((row) => row.map((entry) => entry * times));
    const isPencil = method.kind === 'dca' || method.kind === 'lda';
    this.#task = task;
    this.#floor = floor;
    this.#total = method.kind === 'mdr' ? [] : scaled(totalScatter(statistics, fractionBits));
    this.#within = isPencil ? scaled(withinClassScatter(statistics, fractionBits)) : [];
    this.#sums = statistics.labellings.map((classes) =>
      classes
        .filter(({ M }) => M > 0n)
        .map(({ V, M }) => ({
          V: V.map((value) => (Number(value) / 2 ** fractionBits) * times),
          M: Number(M) * times,
        })),
    );
    const [first = []] = this.#sums;
    const all = first.reduce((sum, { M }) => sum + M, 0);
    this.#mean = task.features.map((_, i) => first.reduce((sum, { V }) => sum + V[i]!, 0) / all);
  }

  /** Of the variance, or of the target's; 1 of separation. */
  exact(): number {
    return this.#part(this.#total, this.#pencil(false));
  }

  /** The same with noise of both servers, drawn anew. */
  part(): number | null {
    try {
      const noised = this.#task.method.kind === 'mdr' ? [] : this.#noised(this.#total);
      return this.#part(noised, this.#pencil(true));
    } catch (error) {
      if (error instanceof ProjectionError) return null;
      throw error;
    }
  }

  #part(scatter: Matrix, pencil: Pencil | undefined): number {
    const { method } = this.#task;
    if (method.kind === 'ridge') return this.#explained(scatter, method.ridge);
    const components = cappedComponents(programOf(this.#task));
    if (pencil !== undefined) {
      const exact = this.#pencil(false)!;
      const own = generalisedEigen(pencil.A, pencil.B).vectors.slice(0, components);
      const best = generalisedEigen(exact.A, exact.B).values.slice(0, components);
      return criterion(exact, own) / sum(best);
    }
    const [own, noised] = isStandardised(method)
      ? [correlationOf(this.#total), correlationOf(scatter, undividedVariances(scatter, this.#floor))]
      : [this.#total, scatter];
    const vectors = symmetricEigen(noised).vectors.slice(0, components);
    return sum(vectors.map((vector) => form(own, vector, vector))) / sum(own.map((row, i) => row[i]!));
  }

  /** The part of the last feature's variance that weights of this scatter explain. */
  #explained(scatter: Matrix, ridge: number): number {
    const isExact = scatter === this.#total;
    const last = scatter.length - 1;
    const lifted = scatter.map((row, i) =>
      row.map((entry, j) => (i === j && i < last && !isExact ? entry + this.#floor.ridge[i]! : entry)),
    );
    const { weights } = ridgeRegression({ scatter: lifted, mean: [...this.#mean], ridge });
    const w = [...weights, -1];
    return 1 - form(this.#total, w, w) / this.#total[last]![last]!;
  }

  #pencil(withFloor: boolean): Pencil | undefined {
    const { method } = this.#task;
    if (method.kind !== 'dca' && method.kind !== 'lda' && method.kind !== 'mdr') return undefined;
    const between = this.#sums.map((classes) => betweenOf(withFloor ? this.#noisedSums(classes) : classes));
    if (method.kind === 'mdr') return { A: between[0]!, B: lifted(between[1]!, method.ridge) };
    const within = withFloor ? this.#noised(this.#within) : this.#within;
    const raised = withFloor ? lifted(within, (i) => this.#floor.ridge[i]!) : within;
    if (method.kind === 'lda') return { A: between[0]!, B: lifted(raised, method.ridge) };
    const total = (matrix: Matrix) =>
      matrix.map((row, i) => row.map((entry, j) => entry + between[0]![i]![j]!));
    return method.form === 'standard'
      ? { A: lifted(between[0]!, method.signalRidge), B: lifted(total(raised), method.ridge) }
      : { A: lifted(total(raised), method.ridge + method.signalRidge), B: lifted(raised, method.ridge) };
  }

  #noised(matrix: Matrix): Matrix {
    const { deviation, grains } = this.#floor;
    const noised = matrix.map((row) => [...row]);
    for (let i = 0; i < noised.length; i += 1) {
      for (let j = i; j < noised.length; j += 1) {
        const one = deviation * productOfGrains(grains, i, j);
        noised[i]![j]! += Math.sqrt(SERVERS) * one * this.#normal();
        noised[j]![i] = noised[i]![j]!;
      }
    }
    return noised;
  }

  #noisedSums(classes: readonly { readonly V: readonly number[]; readonly M: number }[]) {
    const { deviation, grains } = this.#floor;
    return classes.map(({ V, M }) => ({
      V: V.map((value, i) => value + Math.sqrt(SERVERS) * deviation * grains[i]! * this.#normal()),
      M,
    }));
  }

  /** Box and Muller's, of a linear congruential generator: for a forecast, not for a secret. */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(this.#unit())) * Math.cos(2 * Math.PI * this.#unit());
  }

  #unit(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#state + 0.5) / 2 ** 32;
  }
}

interface Pencil {
  readonly A: Matrix;
  readonly B: Matrix;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** aᵀ S b. */
function form(matrix: Matrix, a: readonly number[], b: readonly number[]): number {
  return sum(matrix.map((row, i) => a[i]! * sum(row.map((entry, j) => entry * b[j]!))));
}

/** What the span of the vectors has of the pencil: the sum of its eigenvalues in there. */
function criterion({ A, B }: Pencil, vectors: readonly (readonly number[])[]): number {
  const within = (matrix: Matrix) => vectors.map((a) => vectors.map((b) => form(matrix, a, b)));
  return sum(generalisedEigen(within(A), within(B)).values);
}

function lifted(matrix: Matrix, ridge: number | ((i: number) => number)): Matrix {
  return matrix.map((row, i) =>
    row.map((entry, j) => (i === j ? entry + (typeof ridge === 'number' ? ridge : ridge(i)) : entry)),
  );
}

function betweenOf(classes: readonly { readonly V: readonly number[]; readonly M: number }[]): Matrix {
  const d = classes[0]!.V.length;
  const all = sum(classes.map(({ M }) => M));
  const V = Array.from({ length: d }, (_, i) => sum(classes.map((it) => it.V[i]!)));
  return V.map((own, i) =>
    V.map((other, j) => sum(classes.map((it) => (it.V[i]! * it.V[j]!) / it.M)) - (own * other) / all),
  );
}
