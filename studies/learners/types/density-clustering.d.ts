/** The part of density-clustering 1.3 that studies use. */
declare module 'density-clustering' {
  export class DBSCAN {
    /** Indices of points that are in no cluster, after `run`. */
    readonly noise: number[];
    run(rows: readonly (readonly number[])[], radius: number, neighbours: number): number[][];
  }
}
