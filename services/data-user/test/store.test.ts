/** The store in SQLite; the one in PostgreSQL is tried where there is a server for it. */
import { SqliteDataUserStore } from '../src/sqlite-store.ts';
import { storeContract } from './store-contract.ts';

storeContract('SqliteDataUserStore', async () => new SqliteDataUserStore(':memory:'));
