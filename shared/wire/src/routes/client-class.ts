/** Clients of a service that have a function for each of its routes, beside what every ServiceClient has. */
import { ServiceClient, type ServiceClientOptions } from '../transport/client.ts';
import { type Client, clientOf, type RouteTable } from './table.ts';

/**
 * Returns the class of the clients of a table. Make clients of it, or extend it with methods that do more
 * than one request.
 * @example
 * import { clientClassOf } from '@eigenveil/wire';
 * import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
 *
 * const DataUser = clientClassOf(OWNER_ROUTES);
 * const dataUser = new DataUser({ url: 'https://user.example.org:8444', credentials: { kind: 'key', key, token: text } });
 * const { agreement } = await dataUser.signedTask({ taskId: task.id });
 * await dataUser.close();
 */
export function clientClassOf<const Table extends RouteTable>(
  table: Table,
): new (
  options: ServiceClientOptions,
) => ServiceClient & Client<Table> {
  class TableClient extends ServiceClient {
    constructor(options: ServiceClientOptions) {
      super(options);
      Object.assign(this, clientOf(table, this));
    }
  }
  return TableClient as new (
    options: ServiceClientOptions,
  ) => ServiceClient & Client<Table>;
}
