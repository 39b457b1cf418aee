import { randomBytes } from 'node:crypto';
import {
  isProof,
  planSubscribers,
  subscriberOf,
  writeChallenge,
  type BuyerRegistration,
  type SubscriberSet,
  type SubscriberStore,
} from '@switchyard/events';
import { taskError, type Subscriber, type TaskError, type WireProfile } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';

/** Those whom callers want to be told of changes, and how their addresses are proved. */
export interface Subscriptions {
  readonly store: SubscriberStore;
  /** Sends a signed question; the receiver's answer, or undefined if it gave none that can be read. */
  readonly ask: (
    scope: TenantScope,
    by: { readonly principalId: string; readonly operationId: string },
    question: { readonly url: string; readonly body: JsonObject; readonly profile: WireProfile },
  ) => Promise<JsonObject | undefined>;
  /** The version of what this agent offers now. */
  readonly capabilitiesVersion: (scope: TenantScope) => Promise<string>;
}

/** What the check of a set needs; `HandlerDeps` has it. */
export interface SubscribeDeps {
  readonly subscriptions: Subscriptions;
  readonly refuseCallback: (url: string) => Promise<string | undefined>;
  readonly ports: {
    readonly clock: Pick<Clock, 'now'>;
    readonly ids: { readonly uuid: () => string };
    readonly callbackBase: () => string;
  };
}

/** New addresses of one request that are proved: each is called. */
export const provedAtMost = 32;

interface Wanted {
  readonly scope: TenantScope;
  readonly principalId: string;
  /** The operation of the request; absent for a dry run, which calls nobody. */
  readonly operationId?: string;
  readonly profile: WireProfile;
  /** Absent: told of this agent. */
  readonly accountId?: string;
  readonly wanted: readonly Subscriber[];
  /** Of this account or of this agent, as they are. */
  readonly known: readonly BuyerRegistration[];
  /** The place of the list in the request, such as `accounts[0].`. */
  readonly place: string;
}

/** A set to store, with its addresses as the caller sees them. It changes nothing of which it is `unchanged`. */
export interface Subscribed {
  readonly action: 'updated' | 'unchanged';
  readonly subscribers: readonly Subscriber[];
  readonly set: SubscriberSet;
}

/**
 * Checks each new address and has its receiver prove that it is the caller's
 * (docs/protocol/webhooks-out.md#subscribers). If one fails, the whole set stays as it was.
 */
export async function subscribe(
  deps: SubscribeDeps,
  request: Wanted,
): Promise<Result<Subscribed, readonly TaskError[]>> {
  const { scope, principalId, profile, accountId, known, wanted, operationId = '' } = request;
  const { kept, added } = planSubscribers(known, wanted);
  const errors = await Promise.all(
    added.map((subscriber) => {
      const place = `${request.place}notification_configs[${wanted.indexOf(subscriber)}]`;
      return faultOf(deps, request, subscriber, `${place}.url`);
    }),
  );
  const found = errors.filter((error) => error !== undefined);
  if (found.length > 0) return err(found);
  const now = deps.ports.clock.now();
  // Before it is stored: a change that comes between is told.
  const toldVersion =
    accountId === undefined && added.length > 0
      ? await deps.subscriptions.capabilitiesVersion(scope)
      : undefined;
  const registrations = added.map((subscriber): BuyerRegistration => ({
    id: deps.ports.ids.uuid(),
    ...scope,
    principalId,
    operationId,
    channel: accountId === undefined ? 'agent' : 'account',
    envelope: 'mcp',
    mode: 'signed',
    url: subscriber.url,
    profile,
    createdAt: now,
    subscriberId: subscriber.subscriberId,
    eventTypes: subscriber.eventTypes,
    ...(accountId === undefined ? {} : { accountId }),
    ...(toldVersion === undefined ? {} : { toldVersion }),
    ...(subscriber.active ? { activeFrom: now } : {}),
  }));
  const isSame = added.length === 0 && kept.length === known.length;
  return ok({
    action: isSame ? 'unchanged' : 'updated',
    subscribers: [...kept, ...registrations].map(subscriberOf),
    set: {
      ...(accountId === undefined ? {} : { accountId }),
      kept: kept.map(({ id }) => id),
      added: registrations,
    },
  });
}

async function faultOf(
  deps: SubscribeDeps,
  { scope, principalId, operationId, profile, accountId }: Wanted,
  subscriber: Subscriber,
  field: string,
): Promise<TaskError | undefined> {
  const refused = await deps.refuseCallback(subscriber.url);
  if (refused !== undefined)
    return taskError('INVALID_REQUEST', `Webhooks cannot be sent to this URL: ${refused}.`, {
      field,
      suggestion: 'Give a public https URL.',
    });
  if (!subscriber.active || operationId === undefined) return undefined;
  const challenge = randomBytes(32).toString('base64url');
  const agentUrl = `${deps.ports.callbackBase()}/mcp`;
  const body = writeChallenge(subscriber, {
    ...(accountId === undefined ? {} : { accountId }),
    agentUrl,
    challenge,
  });
  const by = { principalId, operationId };
  const answer = await deps.subscriptions.ask(scope, by, { url: subscriber.url, body, profile });
  if (answer !== undefined && isProof(answer, challenge)) return undefined;
  return taskError('INVALID_REQUEST', 'The receiver at this URL did not prove that it is yours.', {
    field,
    suggestion: 'Answer our signed webhook.challenge with 200 and {"challenge": its value}.',
  });
}
