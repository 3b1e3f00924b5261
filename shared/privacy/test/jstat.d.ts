/** The part of jstat 1.9 that these tests use. */
declare module 'jstat' {
  const jstat: {
    readonly beta: { inv(probability: number, alpha: number, beta: number): number };
    readonly chisquare: { cdf(x: number, freedom: number): number };
    erfc(x: number): number;
  };
  export default jstat;
}
