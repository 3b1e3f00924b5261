/** Names peers in logs: by their address or key, by a keyed hash of it, or not at all. */
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ipKeyGenerator } from 'express-rate-limit';
import type { PeerNaming } from '../cli/settings.ts';
import { loadOrCreateSecretFile } from '../secrets/secret-file.ts';

const KEY_BYTES = 32;
/** The name has 96 bits: two of a million peers have the same name with a chance of 10⁻¹⁷. */
const NAME_CHARACTERS = 16;

/** A peer that has proved its identity by a signature. */
export interface KnownPeer {
  /** An owner's id, or the thumbprint of a key. */
  readonly kind: 'owner' | 'thumbprint';
  readonly id: string;
}

/** The name of the peer in a log line, in the member `peer`. */
type PeerName = Readonly<Partial<Record<'address' | 'owner' | 'thumbprint', string>>>;

export class PeerNames {
  readonly #naming: PeerNaming;
  readonly #key: Uint8Array;

  /** @param key of the hash; anyone who has it can try all addresses */
  constructor(naming: PeerNaming, key: Uint8Array) {
    this.#naming = naming;
    this.#key = key;
  }

  /**
   * Makes names with the configured method. The key of the hash is drawn at the first start that needs one,
   * and kept, so that a peer has the same name for days.
   * @throws ERR_KEY_FILE
   */
  static async open(naming: PeerNaming, dataDirectory: string): Promise<PeerNames> {
    if (naming !== 'hash') return new PeerNames(naming, Buffer.alloc(0));
    const fresh = () => randomBytes(KEY_BYTES).toString('base64url');
    const text = await loadOrCreateSecretFile(logKeyFile(dataDirectory), fresh);
    return new PeerNames(naming, Buffer.from(text, 'utf8'));
  }

  /**
   * Names a peer. A known peer is not named by its address: an owner's id is a pseudonym, and a log line with
   * both would undo that. A stranger is named by the address of its connection, which it cannot choose. The
   * hash is over the address (IPv4) or the /56 network (IPv6) that the limits count, since hosts of a network
   * change their addresses daily.
   */
  name(address: string | undefined, known?: KnownPeer): PeerName | undefined {
    if (this.#naming === 'none') return undefined;
    if (known !== undefined) return { [known.kind]: this.#write(known.kind, known.id) };
    if (address === undefined) return undefined;
    return { address: this.#write('address', this.#naming === 'hash' ? ipKeyGenerator(address) : address) };
  }

  #write(kind: string, id: string): string {
    if (this.#naming === 'address') return id;
    const mac = createHmac('sha256', this.#key).update(`${kind} ${id}`).digest('base64url');
    return mac.slice(0, NAME_CHARACTERS);
  }
}

export function logKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'log-key');
}
