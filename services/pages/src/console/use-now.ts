/** Returns the time by the clock of the data user, again every few seconds. */
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleApi } from './api.ts';

export function useNow(api: ConsoleApi, everyMilliseconds: number): Date {
  const [now, setNow] = useState(api.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(api.now()), everyMilliseconds);
    return () => clearInterval(timer);
  }, [api, everyMilliseconds]);
  return now;
}
