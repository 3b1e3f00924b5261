/** One simple command as a shell reads it: variables, words, and where input comes from and output goes. */
export interface Simple {
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly output: string | undefined;
}

const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const VARIABLE = /^([A-Z_]+)=(.*)$/s;

/** @throws Error for more than a simple command, such as a pipe */
export function parseSimple(command: string): Simple {
  const words = [...command.matchAll(WORD)].map(([word]) => word);
  if (words.some((word) => /^(?:[|&;]+|<)$/.test(word)))
    throw new Error(`not one simple command: ${command}`);
  const unquoted = words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  const first = unquoted.findIndex((word) => !VARIABLE.test(word));
  const redirect = unquoted.indexOf('>');
  return {
    variables: Object.fromEntries(
      unquoted.slice(0, first).map((word) => VARIABLE.exec(word)!.slice(1) as [string, string]),
    ),
    words: unquoted.slice(first, redirect === -1 ? undefined : redirect),
    output: redirect === -1 ? undefined : unquoted[redirect + 1],
  };
}
