import { useQuery } from '@tanstack/react-query';
import { api, ApiFailure, request, type Answer } from './client.js';
import type { Shown } from './passkey.js';

export type Me = Answer<'GET /v1/me'>;

/** The person who is signed in, or was until the session ended (`onSignedOut`); `null` for nobody. */
export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal, client, queryKey }): Promise<Me | null> => {
      try {
        return await api('GET /v1/me', { signal });
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401)
          return client.getQueryData<Me>(queryKey) ?? null;
        throw error;
      }
    },
    staleTime: 60_000,
    retry: false,
  });
}

/** Whether a person has a permission in at least one scope: `may(me, 'media_buys.write')`. */
export function may(me: Me, permission: string | undefined): boolean {
  if (permission === undefined) return true;
  const [area = '', kind = ''] = permission.split('.');
  const held = (me.permissions as unknown as Readonly<Record<string, readonly string[]>>)[area];
  return held?.includes(kind) === true;
}

/** The credential that a person signs in with. */
export type Proof =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string }
  | { readonly second_step: string; readonly code: string }
  | { readonly invitation: string; readonly password: string }
  | { readonly reset: string; readonly password: string }
  | (Shown & { readonly second_step?: string });

/** The factors requested after the password. */
export interface SecondStep {
  readonly second_step: string;
  readonly factors: readonly string[];
}

/** Signs in; answers the second step, if one is required. */
export async function signIn(by: Proof): Promise<SecondStep | undefined> {
  const answer = (await request('POST', '/v1/session', by)) as Partial<SecondStep>;
  const { second_step: step, factors = [] } = answer;
  return step === undefined ? undefined : { second_step: step, factors };
}
/** The name of the OpenID Connect provider, if people can sign in with one. */
export function useProvider(): string | undefined {
  const { data } = useQuery({
    queryKey: ['provider'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/v1/session/provider', undefined, signal)) as { readonly name?: string },
  });
  return data?.name;
}

/** Ends the session. Answers the next address: the provider's, if the person came from it. */
export async function signOut(): Promise<string> {
  const { leave_at: leaveAt } = (await request('DELETE', '/v1/session')) as Answer<'DELETE /v1/session'>;
  return leaveAt ?? '/console/';
}

/**
 * The path to return to after sign-in from the page without scripts, `/console/#return_to=...`: one of our own, or
 * undefined.
 */
export function takeReturn(): string | undefined {
  const wanted = new URLSearchParams(location.hash.slice(1)).get('return_to');
  if (wanted === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return undefined;
  return new URL(wanted, location.origin).origin === location.origin ? wanted : undefined;
}

/**
 * The secret of the one-time link that a terminal printed, `/console/#link=...`, or of an invitation, or undefined. It
 * is removed from the address and the history at once, so that nobody finds it there.
 */
export function takeLink(name: 'link' | 'invitation' | 'reset'): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get(name) ?? undefined;
  if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return link;
}
