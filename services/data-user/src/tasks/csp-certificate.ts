/**
 * The CSP's certificate as this data user sees it. When it is refused, or soon will be, no task goes on, and
 * the CSP's operator may not know.
 */
import { type Logger, lookAtPeer, type Metrics, timesOf, ValidityTeller } from '@eigenveil/server';
import { certificateError } from '@eigenveil/wire';

const LOOK_MILLISECONDS = 6 * 3_600_000;

export class CspCertificate {
  readonly #url: string;
  readonly #ca: () => string | undefined;
  readonly #log: Logger;
  readonly #teller: ValidityTeller;
  #expires = Number.NaN;
  #isAccepted = Number.NaN;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();

  constructor(dependencies: {
    readonly url: string;
    /** Returns PEM certificates to trust at the moment instead of the system's. */
    readonly ca: () => string | undefined;
    readonly metrics: Metrics;
    readonly log: Logger;
  }) {
    const { url, ca, metrics, log } = dependencies;
    this.#url = url;
    this.#ca = ca;
    this.#log = log;
    this.#teller = new ValidityTeller(
      log,
      (validity) => `the CSP's certificate ${validity}: tell its operator`,
    );
    metrics.gauge(
      'csp_certificate_expiry_seconds',
      "When the CSP's certificate expires, in seconds since 1970; NaN before it was seen.",
      () => this.#expires,
    );
    metrics.gauge(
      'csp_certificate_accepted',
      "Whether the CSP's certificate was accepted when it was last seen: 1 or 0; NaN before.",
      () => this.#isAccepted,
    );
  }

  /** Looks now and four times a day. */
  watch(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MILLISECONDS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopping.abort();
  }

  /** Looks at the certificate. It never throws: requests to a CSP that is down fail where it matters. */
  async look(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const times = timesOf((await lookAtPeer(this.#url, '/healthz', this.#ca(), signal)).certificate);
      this.#expires = times.expires.getTime() / 1000;
      this.#isAccepted = 1;
      this.#teller.look(times);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const refusal = certificateError(this.#url, code, error);
      if (refusal === undefined) return;
      this.#isAccepted = 0;
      this.#log.error({ err: refusal }, "the CSP's certificate is not accepted: no task goes on");
    }
  }
}
