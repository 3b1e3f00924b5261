/** The part of jstat 1.9 that tests and benchmarks use. */
declare module 'jstat' {
  const jstat: {
    readonly beta: {
      cdf(x: number, alpha: number, beta: number): number;
      inv(probability: number, alpha: number, beta: number): number;
    };
    readonly chisquare: { cdf(x: number, freedom: number): number };
    readonly studentt: {
      cdf(t: number, freedom: number): number;
      inv(probability: number, freedom: number): number;
    };
    /** F of a one-way analysis of variance. */
    anovafscore(...groups: readonly (readonly number[])[]): number;
    erfc(x: number): number;
  };
  export default jstat;
}
