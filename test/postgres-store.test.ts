/** The data user's store in PostgreSQL: what every store has to do, and what only several processes at once can try. */
import { openDataUserDatabase, PostgresDataUserStore } from '@eigenveil/data-user';
import { afterAll, beforeAll } from 'vitest';
import { storeContract } from '../services/data-user/test/store-contract.ts';
import { Postgres } from './support/postgres.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.launch();
});
afterAll(() => postgres.close());

storeContract(
  'PostgresDataUserStore',
  async () => new PostgresDataUserStore(await openDataUserDatabase(await postgres.database())),
);
