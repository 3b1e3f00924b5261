/** The private folder of a relying application: its key, and the last event that it has acted on. */
import { PrivateFolder } from '@eigenveil/command';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { DecisionsRequest } from '../messages.ts';

const POSITION = 'position.json';

export class RelyingHome {
  readonly #folder: PrivateFolder;

  /**
   * Takes the path of the folder, which is created when something is first written to it. All methods throw
   * ERR_RELYING_HOME when it cannot be used.
   */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_RELYING_HOME');
  }

  /** Returns the key by whose thumbprint the service knows the application, made on first use. */
  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  /** Returns the sequence of the last event that was acted on, or 0. */
  async position(): Promise<number> {
    return (await this.#folder.read(POSITION, DecisionsRequest))?.after ?? 0;
  }

  async savePosition(after: number): Promise<void> {
    await this.#folder.write(POSITION, { after });
  }
}
