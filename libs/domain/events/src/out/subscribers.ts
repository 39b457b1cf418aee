import type { Subscriber } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import type { CapabilitiesChange } from './write-notification.js';

/** Those who are told of one account, or of this agent, as their caller wants them to be. */
export interface SubscriberSet {
  /** Absent: of this agent. */
  readonly accountId?: string;
  /** Registrations that stay, by id. All others of the set end. */
  readonly kept: readonly string[];
  readonly added: readonly BuyerRegistration[];
}

/** The port that `adapters/store` implements over `buyer_registration`. */
export interface SubscriberStore {
  /** All of a principal that have not ended, in order of their names. */
  of(scope: TenantScope, principalId: string): Promise<readonly BuyerRegistration[]>;
  /** Replaces whole sets in one transaction. What was not sent yet to an address that ends is not sent. */
  replace(
    scope: TenantScope,
    principalId: string,
    sets: readonly SubscriberSet[],
    at: Instant,
  ): Promise<void>;
  /**
   * Writes an event to each active subscriber of this agent that knows another version, and notes that it knows this one, in
   * one transaction: a version is told once, by whichever process finds it first. Returns how many were told.
   */
  tell(scope: TenantScope, change: CapabilitiesChange, at: Instant): Promise<number>;
}

interface SubscriberPlan {
  readonly kept: readonly BuyerRegistration[];
  readonly added: readonly Subscriber[];
}

/** Compares a set with the one that is wanted: an address stays only if nothing of it changes. */
export function planSubscribers(
  known: readonly BuyerRegistration[],
  wanted: readonly Subscriber[],
): SubscriberPlan {
  const kept: BuyerRegistration[] = [];
  const added = wanted.filter((subscriber) => {
    const same = known.find((registration) => isSame(registration, subscriber));
    if (same !== undefined) kept.push(same);
    return same === undefined;
  });
  return { kept, added };
}

function isSame(known: BuyerRegistration, wanted: Subscriber): boolean {
  return (
    known.subscriberId === wanted.subscriberId &&
    known.url === wanted.url &&
    (known.activeFrom !== undefined) === wanted.active &&
    JSON.stringify([...(known.eventTypes ?? [])].sort()) === JSON.stringify([...wanted.eventTypes].sort())
  );
}

/** A stored address as its caller sees it. */
export function subscriberOf(registration: BuyerRegistration): Subscriber {
  return {
    subscriberId: registration.subscriberId ?? '',
    url: registration.url,
    eventTypes: registration.eventTypes ?? [],
    active: registration.activeFrom !== undefined,
  };
}
