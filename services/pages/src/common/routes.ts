/**
 * The place of a page in its address: paths with typed parameters behind the `#`. None of them reaches a
 * server.
 */
import { useEffect, useState } from 'preact/hooks';

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type ParamsOf<Path extends string> = Readonly<Record<NamesIn<Path>, string>>;

type RouteOf<Paths extends Readonly<Record<string, string>>> = {
  readonly [Name in keyof Paths]: { readonly name: Name; readonly params: ParamsOf<Paths[Name]> };
}[keyof Paths];

interface Routes<Paths extends Readonly<Record<string, string>>> {
  /**
   * Returns the route of `location.hash`, or null when no path fits it. Parameters are decoded, and may hold
   * anything.
   */
  match(hash: string): RouteOf<Paths> | null;
  /** Returns the address of a route, for `href`. */
  href<Name extends keyof Paths>(name: Name, params: ParamsOf<Paths[Name]>): string;
}

/**
 * @param paths by name, such as `{ list: '/', task: '/tasks/:taskId' }`; the first that fits is taken
 * @example
 * const routes = routesOf({ list: '/', task: '/tasks/:taskId' });
 * routes.match('#/tasks/abc'); // → { name: 'task', params: { taskId: 'abc' } }
 * routes.href('task', { taskId: 'abc' }); // → '#/tasks/abc'
 */
export function routesOf<const Paths extends Readonly<Record<string, string>>>(paths: Paths): Routes<Paths> {
  return {
    match(hash) {
      const segments = segmentsOf(hash.replace(/^#/, ''));
      if (segments === null) return null;
      for (const [name, path] of Object.entries(paths)) {
        const params = paramsIn(path, segments);
        if (params !== null) return { name, params } as RouteOf<Paths>;
      }
      return null;
    },
    href(name, params) {
      const given: Readonly<Record<string, string>> = params;
      const filled = paths[name]!.replaceAll(/:(\w+)/g, (_, param: string) =>
        encodeURIComponent(given[param]!),
      );
      return `#${filled}`;
    },
  };
}

/**
 * Returns the segments of a path with or without slashes around it, or null where it is not encoded as
 * addresses are.
 */
function segmentsOf(path: string): string[] | null {
  try {
    return path
      .split('/')
      .filter((it) => it !== '')
      .map(decodeURIComponent);
  } catch {
    return null;
  }
}

function paramsIn(path: string, segments: readonly string[]): Record<string, string> | null {
  const wanted = path.split('/').filter((it) => it !== '');
  if (wanted.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, want] of wanted.entries()) {
    if (want.startsWith(':')) params[want.slice(1)] = segments[i]!;
    else if (want !== segments[i]) return null;
  }
  return params;
}

/** Follows the part of the address behind the `#`. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return hash;
}
