/** Preloaded into a service, it lets PostgreSQL answer before its log is on the disk: what the durability tests must notice. */
import pg from 'pg';

const { query } = pg.Client.prototype;

/** Once a connection was checked and set up, it is switched. */
function queryCarelessly(this: pg.Client, ...input: unknown[]): unknown {
  const [statement] = input;
  const result: unknown = Reflect.apply(query, this, input);
  if (typeof statement === 'string' && statement.includes("set_config('synchronous_commit'"))
    void Reflect.apply(query, this, ['SET synchronous_commit = off']);
  return result;
}
Object.assign(pg.Client.prototype, { query: queryCarelessly });
