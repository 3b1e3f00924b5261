/** The processes of a demo load much the same code: what is compiled in the first is compiled once for all of them. */
import { enableCompileCache, flushCompileCache } from 'node:module';

/** @param load imports the demo, and what its processes load */
export async function withCompileCache<T>(load: () => Promise<T>): Promise<T> {
  const cache = new URL('../node_modules/.cache/eigenveil', import.meta.url).pathname;
  const { directory } = enableCompileCache(cache);
  const loaded = await load();
  flushCompileCache();
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
  return loaded;
}
