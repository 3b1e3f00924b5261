/**
 * Scripts that a page loads when it first needs them. `main.js` has the name and the digest of each, and a
 * browser runs no other bytes: a module that is preloaded with a digest is the one that is then imported.
 * Import maps could say the digests, too, but stand within the HTML, where the Content-Security-Policy allows
 * no script, and Firefox reads their digests from version 138 alone.
 */

/** The name of a script, and its digest in the form of the attribute `integrity`. */
export interface LaterScript {
  readonly file: string;
  readonly integrity: string;
}

/**
 * Returns what loads a script, once for all who ask. After a failure the next one who asks tries again.
 * @param script called when it is needed: only the build knows it
 * @param words what the script is, for people
 */
export function later<Module>(script: () => LaterScript, words: string): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  let failures = 0;
  return () => {
    // Browsers may keep the failure of an address as long as the page: each attempt has one of its own.
    const { file, integrity } = script();
    const address = failures === 0 ? file : `${file}?${failures}`;
    loading ??= load<Module>(address, integrity).catch((cause: unknown) => {
      loading = undefined;
      failures += 1;
      throw new Error(
        `${words} could not be loaded. Check your connection and try again; if that does not help, reload the page.`,
        { cause },
      );
    });
    return loading;
  };
}

async function load<Module>(address: string, integrity: string): Promise<Module> {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = address;
  link.integrity = integrity;
  try {
    await new Promise<void>((resolve, reject) => {
      link.onload = () => resolve();
      link.onerror = () => reject(new Error(`${address} did not come, or is another file`));
      document.head.append(link);
    });
    return (await import(link.href)) as Module;
  } finally {
    link.remove();
  }
}
