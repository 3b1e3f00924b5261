/** The client of the commands `relying`, and their arguments. */
import { COMMAND_CODES, closing } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { UserId } from '../../messages.ts';
import { RelyingClient } from '../../relying/client.ts';
import { RelyingHome } from '../../relying/home.ts';
import { addressOf } from '../settings.ts';

export { RelyingHome } from '../../relying/home.ts';

/** Returns a client of the service that speaks in the name of the application whose key is in `home`. */
export async function openClient(settings: {
  readonly home: string;
  readonly serviceUrl: string;
  readonly serviceCa?: string | undefined;
  readonly patienceSeconds: number;
}): Promise<RelyingClient & AsyncDisposable> {
  return closing(
    new RelyingClient({
      service: await addressOf(settings),
      key: await new RelyingHome(settings.home).signingKey(),
      patienceMilliseconds: 1000 * settings.patienceSeconds,
    }),
  );
}

/**
 * Reads the name of a user.
 * @throws ERR_CONFIGURATION
 */
export function userIdOf(text: string): UserId {
  const id = UserId.safeParse(text);
  if (!id.success)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"USER" expected up to 64 letters, digits and . _ ~ -, and no point at the beginning',
    );
  return id.data;
}
