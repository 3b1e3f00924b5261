/** Standard normal numbers from uniform ones (Box and Muller 1958), for experiments alone. */
export const normalFrom = (next: () => number) => (): number =>
  Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
