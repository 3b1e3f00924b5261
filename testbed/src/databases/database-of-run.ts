/** Databases in the one PostgreSQL of a run of tests. A test that crashes its server, or changes the server's settings, launches its own. */
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a worker gets the URL of a fresh database. */
    readonly postgresOfRun: string;
  }
}

/** The URL of a fresh, empty database, which takes 50 ms: a file of tests makes one and empties it between tests. */
export async function databaseOfRun(): Promise<string> {
  const response = await fetch(inject('postgresOfRun'));
  const answer = await response.text();
  if (!response.ok) throw new Error(`the PostgreSQL of this run: ${answer}`);
  return answer;
}

/**
 * The statements that delete what tests have put into the tables of a schema, which takes 2 ms. They leave the version of the schema;
 * numbers that the database gives go on. They are for the superuser that the URL names: foreign keys do not matter to a replica.
 */
export function emptying(schema: string): string {
  return `
    SET session_replication_role = replica;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'schema_version' LOOP
        EXECUTE format('DELETE FROM %I.%I', '${schema}', name);
      END LOOP;
    END $$;
    RESET session_replication_role`;
}
