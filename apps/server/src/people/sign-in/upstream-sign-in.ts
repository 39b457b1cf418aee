import { createHash, randomBytes } from 'node:crypto';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { Person } from './passkeys.js';
import type { Steps } from './steps.js';
import { entrancesOf, type EntrancesDeps, type UpstreamRefusal } from './entrances.js';
import type { ProviderRefusal, UpstreamPerson, UpstreamProvider } from './upstream-provider.js';

/** How long a sign-in may stay at the provider, or at the question after it, in milliseconds. */
export const upstreamMs = 10 * 60_000;

/** The callback path: fixed, and registered at the provider. */
const callbackPath = '/sign-in/oidc/callback';
/** The path after a sign-out at the provider: registered there too. */
const afterwards = '/console/';

/** What the page asks before an account enters for the first time. */
export interface EntranceQuestion {
  /** A secret that identifies it, valid once. */
  readonly question: string;
  readonly entrances: readonly {
    readonly id: string;
    readonly organization: string;
    readonly as: string;
    readonly role?: string;
  }[];
}

interface Arrival<T> {
  readonly next?: string;
  readonly signedIn: Result<T, UpstreamRefusal>;
}

/** Signing people in with the OpenID Connect provider of the installation. */
export interface UpstreamSignIn {
  readonly name: string;
  /** The address to open. `browser` is a secret that this browser holds until it returns. */
  begin(next: string, browser: string): Promise<Result<URL, ProviderRefusal>>;
  /**
   * The person who returned, or where its account could enter, and the path to open. The answer is valid once, in the
   * browser that started. `signedIn` is the person of a fresh session in that browser, who may link the account.
   */
  finish(
    answer: URLSearchParams,
    browser: string,
    signedIn: Person | undefined,
  ): Promise<Arrival<Person | EntranceQuestion>>;
  /** Enters by one of the entrances of a question; `''` for none. The question is valid once, in the same browser. */
  enter(
    question: string,
    entranceId: string,
    browser: string,
    signedIn: Person | undefined,
  ): Promise<Arrival<Person>>;
  /** The address where a sign-out continues at the provider; undefined if it offers none. */
  leave(): Promise<URL | undefined>;
}

interface UpstreamSignInDeps extends EntrancesDeps {
  readonly provider: UpstreamProvider;
  readonly steps: Steps;
  /** The public address, without a trailing slash. Known once we listen. */
  readonly url: () => string;
}

export function createUpstreamSignIn(deps: UpstreamSignInDeps): UpstreamSignIn {
  const { settings, provider, steps, url } = deps;
  const redirectUri = (): string => `${url()}${callbackPath}`;
  /** The data of a step that this browser began. */
  const taken = async (
    kind: 'ProviderSignIn' | 'ProviderEntrance',
    text: string,
    browser: string,
  ): Promise<JsonObject | undefined> => {
    const found = await steps.find(kind, text);
    return found?.['browser'] === hashOf(browser) ? steps.take(kind, text) : undefined;
  };
  const arrive = async (
    account: UpstreamPerson,
    { next, browser, signedIn }: { next: string; browser: string; signedIn: Person | undefined },
  ): Promise<Result<Person | EntranceQuestion, UpstreamRefusal>> => {
    const found = await entrancesOf(deps, account, signedIn);
    if (!found.ok) return found;
    const { isLinked, entrances } = found.value;
    const [only, another] = entrances;
    if (isLinked && only !== undefined && another === undefined) return only.enter();
    const about = { next, browser: hashOf(browser), account: { ...account, groups: [] } };
    const { text } = await steps.start('ProviderEntrance', about, upstreamMs);
    const shown = entrances.map(async ({ id, organizationId, as, role }) => {
      const organization = (await deps.organizations.byId(organizationId))?.name ?? '';
      return { id, organization, as, ...(role !== undefined && { role }) };
    });
    return ok({ question: text, entrances: await Promise.all(shown) });
  };
  return {
    name: settings.name,
    begin: async (next, browser) => {
      const [nonce, verifier] = [newSecret(), newSecret()];
      const about = { next, browser: hashOf(browser), nonce, verifier };
      const { text: state } = await steps.start('ProviderSignIn', about, upstreamMs);
      return provider.authorize({ state, nonce, verifier }, redirectUri());
    },
    finish: async (answer, browser, signedIn) => {
      const state = answer.get('state') ?? '';
      const about = await taken('ProviderSignIn', state, browser);
      if (about === undefined) return { signedIn: err('ended') };
      const { next, nonce, verifier } = about as Record<'next' | 'nonce' | 'verifier', string>;
      const checks = { state, nonce, verifier };
      const vouched = await provider.exchange(new URL(`?${answer.toString()}`, redirectUri()), checks);
      if (!vouched.ok) return { next, signedIn: vouched };
      return { next, signedIn: await arrive(vouched.value, { next, browser, signedIn }) };
    },
    enter: async (question, entranceId, browser, signedIn) => {
      const about = await taken('ProviderEntrance', question, browser);
      if (about === undefined) return { signedIn: err('ended') };
      const next = about['next'] as string;
      // Looked up again: an invitation may have been withdrawn, or a domain proved, since the page was shown.
      const found = await entrancesOf(deps, about['account'] as unknown as UpstreamPerson, signedIn);
      if (!found.ok) return { next, signedIn: found };
      const chosen = found.value.entrances.find(({ id }) => id === entranceId);
      return { next, signedIn: chosen === undefined ? err('ended') : await chosen.enter() };
    },
    leave: () => provider.endSession(`${url()}${afterwards}`),
  };
}

const newSecret = (): string => randomBytes(32).toString('base64url');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
