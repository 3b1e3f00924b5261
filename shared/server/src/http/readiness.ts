/** Whether a service can do its work at the moment, for load balancers; anybody may ask, so what is asked is bounded. */

/** For so long an answer counts as the present one. */
const REMEMBERED_MILLISECONDS = 1000;

export class Readiness {
  readonly #check: () => Promise<void>;
  #last: { readonly answer: Promise<void>; until: number } | undefined;

  /** `check` throws what keeps the service from its work. */
  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  /** @throws as the last check did, which many may ask about at once */
  require(now = performance.now()): Promise<void> {
    if (this.#last === undefined || now >= this.#last.until) this.#last = this.#begin(now);
    return this.#last.answer;
  }

  /** A check that takes long, since a server is silent, is waited for: no second one takes another connection. */
  #begin(now: number) {
    const last = { answer: this.#check(), until: Number.POSITIVE_INFINITY };
    const end = () => {
      last.until = now + REMEMBERED_MILLISECONDS;
    };
    last.answer.then(end, end);
    return last;
  }
}
