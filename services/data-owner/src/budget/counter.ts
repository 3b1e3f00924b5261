/** The CSP's counter of an owner's ledger: it tells whether the ledger is the newest. */
import { CodedError } from '@eigenveil/platform';
import {
  CODES,
  COUNTER,
  type Counted,
  type CounterRequest,
  isTransient,
  verifyStatement,
} from '@eigenveil/wire';
import type { Csp, OwnerConnection } from '../owner/connection.ts';
import type { OwnerState } from '../owner/state.ts';
import { askOnly, confirmLedger, setElsewhere } from './charging.ts';
import type { Elsewhere } from './ledger.ts';

export class LedgerCounter {
  readonly #state: OwnerState;
  readonly #connection: OwnerConnection;

  constructor(state: OwnerState, connection: OwnerConnection) {
    this.#state = state;
    this.#connection = connection;
  }

  /**
   * Has the CSP count the ledger. Where the CSP cannot be asked, the owner goes on, and an old ledger is not
   * noticed.
   * @throws ERR_BUDGET_RESTORED
   */
  async confirm(onUncounted?: (reason: string) => void): Promise<void> {
    if (!this.#state.canComeBack) return;
    try {
      await this.#connection.withCsp((csp) => this.#confirmAt(csp));
    } catch (error) {
      if (!isTransient(error)) throw error;
      onUncounted?.((error as Error).message);
    }
  }

  /** Does what `setBudget` of DataOwner says. */
  async setElsewhere(dataset: string, elsewhere: Elsewhere): Promise<void> {
    if (!this.#state.canComeBack) return setElsewhere(this.#state, dataset, elsewhere, undefined);
    return this.#connection.withCsp(async (csp) => {
      await setElsewhere(this.#state, dataset, elsewhere, await this.#count(csp, askOnly));
      await this.#confirmAt(csp);
    });
  }

  #confirmAt(csp: Csp): Promise<void> {
    return confirmLedger(this.#state, (request) => this.#count(csp, request));
  }

  async #count(csp: Csp, body: CounterRequest): Promise<Counted> {
    const { cspKey, ownerId } = await this.#connection.enrolment();
    const { counter } = await csp.count({ body });
    const counted = await verifyStatement(COUNTER, counter, cspKey);
    if (counted.ownerId !== ownerId)
      throw new CodedError(CODES.ERR_PEER_PROTOCOL, '"counter" expected that of this owner');
    return counted;
  }
}
