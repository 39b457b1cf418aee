import { useQuery } from '@tanstack/react-query';
import { api, ApiFailure, request, type Answer } from './client.js';
import type { Shown } from './passkey.js';

export type Me = Answer<'GET /v1/me'>;

/** Who is signed in, or was until the session ended (`onSignedOut`); `null` for nobody. */
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

/** Whether a person may do something in at least one scope: `may(me, 'media_buys.write')`. */
export function may(me: Me, permission: string | undefined): boolean {
  if (permission === undefined) return true;
  const [area = '', kind = ''] = permission.split('.');
  const held = (me.permissions as unknown as Readonly<Record<string, readonly string[]>>)[area];
  return held?.includes(kind) === true;
}

/** What a person shows to sign in. */
export type Proof =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string }
  | { readonly second_step: string; readonly code: string }
  | { readonly invitation: string; readonly password: string }
  | (Shown & { readonly second_step?: string });

/** What is asked for after the password. */
export interface SecondStep {
  readonly second_step: string;
  readonly factors: readonly string[];
}

/** Signs in; answers what else is asked for, if something is. */
export async function signIn(by: Proof): Promise<SecondStep | undefined> {
  const answer = (await request('POST', '/v1/session', by)) as Partial<SecondStep>;
  const { second_step: step, factors = [] } = answer;
  return step === undefined ? undefined : { second_step: step, factors };
}
/** The name of the OpenID Connect provider that people can sign in with, where there is one. */
export function useProvider(): string | undefined {
  const { data } = useQuery({
    queryKey: ['provider'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/v1/session/provider', undefined, signal)) as { readonly name?: string },
  });
  return data?.name;
}

/** Ends the session here. Answers where the browser goes next: to the provider, where the person came from one. */
export async function signOut(): Promise<string> {
  const { leave_at: leaveAt } = (await request('DELETE', '/v1/session')) as Answer<'DELETE /v1/session'>;
  return leaveAt ?? '/console/';
}

/**
 * Where the page without a script wants a person back once signed in, `/console/#return_to=...`: a path of ours, or
 * nothing.
 */
export function takeReturn(): string | undefined {
  const wanted = new URLSearchParams(location.hash.slice(1)).get('return_to');
  if (wanted === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return undefined;
  return new URL(wanted, location.origin).origin === location.origin ? wanted : undefined;
}

/**
 * The one-time link that a terminal printed, `/console/#link=...`, or an invitation, or nothing. It is removed from the address and from
 * the history at once, so that nobody finds it there.
 */
export function takeLink(name: 'link' | 'invitation'): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get(name) ?? undefined;
  if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return link;
}
