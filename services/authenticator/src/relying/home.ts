/** What a relying application keeps in a folder that nobody else can read: its key, and up to which event it has acted. */
import { PrivateFolder } from '@eigenveil/command';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { DecisionsRequest } from '../messages.ts';

const POSITION = 'position.json';

export class RelyingHome {
  readonly #folder: PrivateFolder;

  /** `folder` is created when something is first written to it. All methods throw ERR_RELYING_HOME when it cannot be used. */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_RELYING_HOME');
  }

  /** The key by whose thumbprint the service knows the application, made on first use. */
  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  /** Sequence of the last event that was acted on; 0 for none. */
  async position(): Promise<number> {
    return (await this.#folder.read(POSITION, DecisionsRequest))?.after ?? 0;
  }

  async savePosition(after: number): Promise<void> {
    await this.#folder.write(POSITION, { after });
  }
}
