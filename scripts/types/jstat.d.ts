/** The part of jstat 1.9 that the benchmarks use. */
declare module 'jstat' {
  const jstat: {
    readonly studentt: { inv(probability: number, freedom: number): number };
  };
  export default jstat;
}
