/** The organisation of the data owners, which hosts their page: static files over HTTPS, from an origin of its own. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { extname, join } from 'node:path';
import { FOLDERS } from '../../build/build.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const NAMES: readonly string[] = ['index.html', 'main.js', 'main.css', 'worker.js'];

/** What a host adds that an HTML file cannot say of itself. */
const HEADERS = {
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

export class OwnerHost {
  /** Of the page. */
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** Hands out the page that may reach the services at these origins. */
  static async start(
    port: number,
    tls: { readonly cert: string; readonly key: string },
    services: readonly string[],
  ): Promise<OwnerHost> {
    const server = createServer(tls, (request, response) => {
      const { pathname } = new URL(request.url!, 'https://host');
      const name = pathname === '/' ? 'index.html' : pathname.slice(1);
      read(name, services).then(
        (body) => response.writeHead(200, { ...HEADERS, 'content-type': TYPES[extname(name)] }).end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return new OwnerHost(`https://127.0.0.1:${port}/`, close);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

async function read(name: string, services: readonly string[]): Promise<string> {
  if (!NAMES.includes(name)) throw new Error(`no file ${name}`);
  const text = await readFile(join(FOLDERS.owner, name), 'utf8');
  return name === 'index.html'
    ? text.replace("connect-src 'self'", ["connect-src 'self'", ...services].join(' '))
    : text;
}
