/** Lets a demo end at once when it is told to, with nothing left behind. */
const ENDS = [
  ['SIGINT', () => process.exit(130)],
  ['SIGTERM', () => process.exit(143)],
] as const;

/** From now on these signals exit, which takes away what `withChildren` has made; until the function that it returns is called. */
export function exitOnSignals(): () => void {
  for (const [signal, end] of ENDS) process.on(signal, end);
  return () => {
    for (const [signal, end] of ENDS) process.off(signal, end);
  };
}
