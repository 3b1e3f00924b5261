/** Tidy records, which everything that is measured becomes. */
export type Scale = 'quick' | 'full';
export type Value = number | string;
/** One observation: what it is of, and the figures that were seen. JSON has all of it. */
export type Tidy = Readonly<Record<string, Value>>;
