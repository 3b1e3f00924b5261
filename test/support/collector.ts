/** A collector of traces: takes OTLP over HTTP, and prints where it listens and then each body as a line. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const server = createServer(async (request, response) => {
  process.stdout.write(`${JSON.stringify(await json(request))}\n`);
  response.setHeader('content-type', 'application/json').end('{}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
