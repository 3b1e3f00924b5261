/**
 * Keeps in the database what several processes of a data user must have in common: whose it is, and which
 * proofs were used.
 */
import { CodedError } from '@eigenveil/platform';
import { type PostgresDatabase, SERVER_CODES, type UsedProofs } from '@eigenveil/server';
import { CODES, PROOF_WINDOW_SECONDS, ReplayGuard, type Thumbprint } from '@eigenveil/wire';

/**
 * Lets the first process write down its identity and the id of the key that it seals with, and every later
 * one in only if it has the same: receipts of another identity would be worth nothing, and what is sealed
 * under a key that the others lack would hold up its task. A process that has the key, but seals with another
 * one already (see: key reseal), is written down in its place.
 * @throws ERR_DATABASE_IDENTITY
 */
export async function claimDatabase(
  database: PostgresDatabase,
  own: { readonly thumbprint: Thumbprint; readonly keyIds: readonly string[] },
): Promise<void> {
  await database.transaction('claimDatabase', async (db) => {
    await db.query({
      text: 'INSERT INTO belongs_to (thumbprint, key_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [own.thumbprint, own.keyIds[0]],
    });
    const { rows } = await db.query<{ thumbprint: string; key_id: string }>({
      text: 'SELECT thumbprint, key_id FROM belongs_to FOR UPDATE',
    });
    const known = rows[0]!;
    if (known.thumbprint !== own.thumbprint) {
      throw new CodedError(
        SERVER_CODES.ERR_DATABASE_IDENTITY,
        `the database belongs to the identity ${known.thumbprint}, this process has ${own.thumbprint}: copy signing-key.json of another process's data directory`,
      );
    }
    if (!own.keyIds.includes(known.key_id)) {
      throw new CodedError(
        SERVER_CODES.ERR_DATABASE_IDENTITY,
        `the database expected the key-encryption key ${known.key_id}, this process has ${own.keyIds.join(', ')}: copy another process's file of keys`,
      );
    }
    await db.query({ text: 'UPDATE belongs_to SET key_id = $1', values: [own.keyIds[0]] });
  });
}

/**
 * The time for which a used proof is remembered: it is accepted from window before its time to window after
 * it, and the clocks of two processes may differ by another window.
 */
const REMEMBERED_SECONDS = 3 * PROOF_WINDOW_SECONDS;
/** Proofs after which, each time, this process takes away up to twice as many that have expired. */
const PURGE_INTERVAL = 256;

/**
 * Admits each proof once over all processes. A guard of this process's own is asked first: it bounds how many
 * proofs each process may add to the table, and saves the database what it knows itself.
 *
 * The table is unlogged: it costs no wait for the disk, and a crash of the database server (not of a process)
 * empties it, as does the change to a standby. Then a proof could be used a second time, within its window of
 * time and at another process than before. That is harmless, as after a restart of a process with a guard in
 * memory: every request that a proof can carry is idempotent.
 */
export class PostgresReplayGuard implements UsedProofs {
  readonly #db: PostgresDatabase;
  readonly #own = new ReplayGuard();
  #admitted = 0;

  constructor(database: PostgresDatabase) {
    this.#db = database;
  }

  async admit(proofId: string): Promise<void> {
    this.#own.admit(proofId);
    const { rowCount } = await this.#db.query({
      text: `
        INSERT INTO used_proofs (proof_id, expires_at) VALUES ($1, now() + make_interval(secs => $2))
        ON CONFLICT DO NOTHING`,
      values: [proofId, REMEMBERED_SECONDS],
    });
    if (rowCount === 0)
      throw new CodedError(CODES.ERR_PROOF_REPLAYED, '"DPoP" expected a proof not used before');
    this.#admitted += 1;
    if (this.#admitted % PURGE_INTERVAL === 0) await this.#purge();
  }

  async #purge(): Promise<void> {
    await this.#db.query({
      // Not what another process is taking away: nobody waits.
      text: `
        DELETE FROM used_proofs WHERE proof_id IN
          (SELECT proof_id FROM used_proofs WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      values: [2 * PURGE_INTERVAL],
    });
  }
}
