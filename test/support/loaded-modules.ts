/** For `node --import`: prints the addresses of all modules that the process loaded, as a JSON list on standard error, when it ends. */
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

const urls: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url);
    return nextLoad(url, context);
  },
});
process.once('exit', () => writeSync(process.stderr.fd, JSON.stringify(urls)));
