import { api, request, type JsonObject } from './client.js';

/** Loaded at the first use of a passkey. */
const webauthn = () => import('@simplewebauthn/browser');

/** An authenticator's answer in the form of the server. */
export interface Shown {
  readonly challenge_id: string;
  readonly passkey: JsonObject & { readonly id: string };
}

interface Challenge {
  readonly challenge_id: string;
  readonly options: unknown;
}

/** Why passkeys do not work here: they belong to a name, so a browser has none at `127.0.0.1`, but has at `localhost`. */
export function passkeyTrouble(): string | undefined {
  const { hostname, port, protocol } = location;
  if (hostname === '127.0.0.1' || hostname === '[::1]')
    return `For passkeys open this page at ${protocol}//localhost${port === '' ? '' : `:${port}`}/console/`;
  if (!isSecureContext || !('PublicKeyCredential' in window))
    return 'This browser has no passkeys at this address: it has to begin with https and have a name.';
  return undefined;
}

/** Signs in with an authenticator; after a password, only with one of that person. */
export async function showPasskey(secondStep?: string): Promise<Shown> {
  const made = (await request('POST', '/v1/session/passkey', {
    ...(secondStep !== undefined && { second_step: secondStep }),
  })) as unknown as Challenge;
  const { startAuthentication } = await webauthn();
  const answer = await startAuthentication({ optionsJSON: made.options as never });
  return { challenge_id: made.challenge_id, passkey: answer as unknown as Shown['passkey'] };
}

/** Registers an authenticator under a name. */
export async function registerPasskey(name: string) {
  const made = await api('POST /v1/me/passkeys/challenge');
  const { startRegistration } = await webauthn();
  const answer = await startRegistration({ optionsJSON: made.options as never });
  const body = { name, challenge_id: made.challenge_id, passkey: answer as unknown as Shown['passkey'] };
  return api('POST /v1/me/passkeys', { body });
}
