/** What every store of the data user has to do, whatever database it is in. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { DataUserStore } from '../src/store/store.ts';
import { contributionsContract } from './store-contract/contributions.ts';
import { operatorsContract } from './store-contract/operators.ts';
import { revocationsContract } from './store-contract/revocations.ts';
import { tasksContract } from './store-contract/tasks.ts';
import { Tested } from './store-contract/tested.ts';
import { uploadsContract } from './store-contract/uploads.ts';

/** Tries a store; `open` gives an empty one each time. */
export function storeContract(name: string, open: () => Promise<DataUserStore>, runs = 100): void {
  describe(name, () => {
    const tested = new Tested(runs);
    beforeEach(async () => tested.use(await open()));
    afterEach(() => tested.store.close());
    tasksContract(tested);
    contributionsContract(tested);
    operatorsContract(tested);
    revocationsContract(tested);
    uploadsContract(tested);
  });
}
