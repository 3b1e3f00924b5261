/** The view of anybody on the line of TLS 1.3: of each encrypted record its direction, how many bytes it carries, and when it passed. */
import type { Direction } from '@eigenveil/testbed/proxies/counting-proxy';

export interface SeenRecord {
  readonly connection: number;
  readonly direction: Direction;
  /** TLS 1.3 encrypts a byte to a byte, and adds a type and a tag (RFC 8446, section 5.2). */
  readonly bytes: number;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

const HEADER_BYTES = 5;
const TYPE_AND_TAG_BYTES = 17;
const APPLICATION_DATA = 23;
/** A warning that one end closes. Whether it is sent before the line is cut is chance. */
const ALERT_BYTES = 2;
/** The number of records that a service of Node.js sends once the handshake is over, of one length each. */
const TICKETS = 2;

export class TlsRecords {
  /** The records after the handshakes, in the order in which they passed. */
  readonly seen: SeenRecord[] = [];
  readonly #readers = new Map<string, (bytes: Uint8Array) => void>();
  /** Tickets that are still to come, of connections whose handshake is over. */
  readonly #tickets = new Map<number, number>();

  /** A function for a proxy to call with all that passes. */
  readonly observe = (connection: number, direction: Direction, bytes: Uint8Array): void => {
    const name = `${connection} ${direction}`;
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      reader = recordReader((type, length) => this.#note(connection, direction, type, length));
      this.#readers.set(name, reader);
    }
    reader(bytes);
  };

  #note(connection: number, direction: Direction, type: number, length: number): void {
    if (type !== APPLICATION_DATA) return;
    const bytes = length - TYPE_AND_TAG_BYTES;
    const tickets = this.#tickets.get(connection);
    // The client's first encrypted record ends the handshake. The service's own before has a signature, whose length is chance.
    if (tickets === undefined) {
      if (direction === 'to service') this.#tickets.set(connection, TICKETS);
    } else if (direction === 'from service' && tickets > 0) this.#tickets.set(connection, tickets - 1);
    else if (bytes !== ALERT_BYTES) this.seen.push({ connection, direction, bytes, at: performance.now() });
  }
}

/** Calls `onRecord` with type and length of each record, at its last byte. */
function recordReader(onRecord: (type: number, length: number) => void): (bytes: Uint8Array) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let have = 0;
  let left = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (have < HEADER_BYTES) {
        header[have++] = bytes[at++]!;
        if (have === HEADER_BYTES) left = header.readUInt16BE(3);
      } else {
        const part = Math.min(left, bytes.length - at);
        at += part;
        left -= part;
      }
      if (have < HEADER_BYTES || left > 0) continue;
      onRecord(header[0]!, header.readUInt16BE(3));
      have = 0;
    }
  };
}
