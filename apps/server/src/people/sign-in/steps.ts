import { randomBytes } from 'node:crypto';
import type { OAuthStore } from '@switchyard/store';
import { isTokenText, newToken } from '@switchyard/tenancy';
import type { Clock, Instant, JsonObject } from '@switchyard/values';

/**
 * A step in progress: a sign-in that waits for its second factor, a provider or the choice of an organization, or a
 * challenge of an authenticator, or a new password by a mailed link.
 */
type StepKind =
  | 'SecondStep'
  | 'PasskeyChallenge'
  | 'PasswordReset'
  | 'ProviderSignIn'
  | 'ProviderEntrance'
  | 'OrganizationSignIn';

export interface Step {
  /** The secret that identifies it, known only to the browser: its hash is stored. */
  readonly text: string;
  readonly expiresAt: Instant;
}

/** Steps of a sign-in, between two requests of one browser. Each is short-lived and is taken once. */
export interface Steps {
  start(kind: StepKind, about: JsonObject, lifetimeMs: number): Promise<Step>;
  /** The same with a secret that the caller has derived. One that was taken stays taken. */
  startWith(kind: StepKind, text: string, about: JsonObject, lifetimeMs: number): Promise<void>;
  find(kind: StepKind, text: string): Promise<JsonObject | undefined>;
  /** The data of the step, for the first of several concurrent requests. */
  take(kind: StepKind, text: string): Promise<JsonObject | undefined>;
}

/** They are stored with the data of the authorization server, and removed with it. */
export function createSteps(store: OAuthStore, clock: Clock): Steps {
  const find = async (kind: StepKind, text: string): Promise<JsonObject | undefined> => {
    if (!isTokenText(text)) return undefined;
    const found = await store.find(kind, text, clock.now());
    return found === undefined || found.consumedAt !== undefined ? undefined : found.payload;
  };
  return {
    start: async (kind, about, lifetimeMs) => {
      const { text } = newToken(randomBytes(32));
      const now = clock.now();
      const expiresAt = now + lifetimeMs;
      await store.upsert({ model: kind, id: text, payload: about, expiresAt }, now);
      await store.sweep(now);
      return { text, expiresAt };
    },
    startWith: async (kind, text, about, lifetimeMs) => {
      const now = clock.now();
      if ((await store.find(kind, text, now)) !== undefined) return;
      await store.upsert({ model: kind, id: text, payload: about, expiresAt: now + lifetimeMs }, now);
    },
    find,
    take: async (kind, text) => {
      const about = await find(kind, text);
      return about !== undefined && (await store.consume(kind, text, clock.now())) ? about : undefined;
    },
  };
}
