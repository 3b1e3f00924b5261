/** The part of jstat 1.9 that the benchmarks use. */
declare module 'jstat' {
  const jstat: {
    readonly studentt: { inv(probability: number, freedom: number): number };
    /** F of a one-way analysis of variance. */
    anovafscore(...groups: readonly (readonly number[])[]): number;
  };
  export default jstat;
}
