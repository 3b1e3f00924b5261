/** Vectors of wires, the one kind of value that a gate context computes with. */

/** The address of a vector that is not in a context's memory. */
export const NOWHERE = -1;

/**
 * A vector of wires, one per lane. Its contents belong to the context that made it: bits, labels or nothing
 * at all. Only contexts write its fields.
 */
export class Wires {
  readonly lanes: number;
  /** Set when every lane is this public constant; such vectors take no memory and no gates. */
  readonly constant: 0 | 1 | undefined;
  /** Position in the context's memory, in bytes, or NOWHERE. */
  address: number;
  /** Contents that outlive the step that made them. */
  saved: Uint8Array | undefined;

  constructor(
    lanes: number,
    address: number,
    constant: 0 | 1 | undefined = undefined,
    saved: Uint8Array | undefined = undefined,
  ) {
    this.lanes = lanes;
    this.address = address;
    this.constant = constant;
    this.saved = saved;
  }
}

/** Every vector within nested arrays and records, each once. */
export function wiresIn(value: unknown, found: Set<Wires> = new Set()): Set<Wires> {
  if (value instanceof Wires) found.add(value);
  else if (Array.isArray(value)) for (const item of value) wiresIn(item, found);
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) wiresIn(item, found);
  }
  return found;
}
