/** How many pieces of contributions are in memory at a time, whatever the number of owners. */
import { CodedError } from '@eigenveil/platform';
import { CODES, type OwnerId } from '@eigenveil/wire';

/** While they are read, checked and stored; each is half a megabyte, and a few times that while it is checked. */
const MOST_PIECES = 32;
/** One that a broken line has left behind, and its repetition: nobody can keep others away by holding all. */
const MOST_PER_OWNER = 2;
const RETRY_AFTER_SECONDS = 1;

export class PieceLimit {
  readonly #underWay = new Map<OwnerId, number>();
  #count = 0;

  /** @throws ERR_BUSY when there are too many, and as `work` */
  async take<T>(ownerId: OwnerId, work: () => Promise<T>): Promise<T> {
    const own = this.#underWay.get(ownerId) ?? 0;
    if (this.#count >= MOST_PIECES || own >= MOST_PER_OWNER)
      throw new CodedError(CODES.ERR_BUSY, 'too many pieces of contributions are on their way', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    this.#count += 1;
    this.#underWay.set(ownerId, own + 1);
    try {
      return await work();
    } finally {
      this.#count -= 1;
      const left = this.#underWay.get(ownerId)! - 1;
      if (left > 0) this.#underWay.set(ownerId, left);
      else this.#underWay.delete(ownerId);
    }
  }
}
