/** The services that this page may reach. Its Content-Security-Policy names them, and the browser holds it to that. */

/** Returns the origins that a policy names for requests; null: it allows any. */
export function reachedBy(policy: string): readonly string[] | null {
  const [, ...sources] =
    policy
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .find(([name]) => name === 'connect-src') ?? [];
  return sources.length === 0 ? null : sources.filter((source) => source.startsWith('https:'));
}

/** Returns why this page cannot reach a service, in words; null: it may. */
export function unreachable(
  address: string,
  policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content') ??
    '',
): string | null {
  const reached = reachedBy(policy);
  if (reached === null || reached.includes(new URL(address).origin)) return null;
  return `This page can reach ${reached.join(', ') || 'no service'} alone. Whoever hosts it can add others`;
}
