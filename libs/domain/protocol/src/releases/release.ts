import type { JsonObject } from '@switchyard/values';
import type { ErrorRow } from '../errors/error-row.js';

/** A prerelease as a version field names it, for example `3.2-beta.5`. */
export type ReleaseName = `${number}.${number}-${string}`;

/** One value for all, or one for each value that it stands for. */
export type Instead = string | Readonly<Record<string, string>>;

export interface ItemRule {
  /** A path inside the item. */
  readonly member: string;
  /** The new values of the member; without them an item that lacks the member anywhere is meant. */
  readonly values?: readonly string[];
}

/**
 * What one release has and the release before it has not, as patterns of members. Names are separated by dots, a list has
 * `[]`, and a pattern that begins with two dots fits at any depth: `packages[].bidding`, `..brand.countries`.
 */
export interface MemberRules {
  /** New members. */
  readonly added?: readonly string[];
  /** New values of members whose list of values is closed. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** What stands in place of such values, or of each, if none is left of a required member. The loss is reported. */
  readonly instead?: Readonly<Record<string, Instead>>;
  /** The item of a required list of which none would be left. The loss is reported. */
  readonly refill?: Readonly<Record<string, JsonObject>>;
  /** Items of lists that an older release cannot express, by the member or the value that tells. */
  readonly items?: Readonly<Record<string, ItemRule>>;
  /** Rules of lists that are closed in schemas, and open in the `service` form. */
  readonly closed?: Pick<MemberRules, 'items' | 'refill'>;
  /** New members of a request that nothing here can keep, and that would change what it means: it is refused. */
  readonly refused?: readonly string[];
  /** New members of a request that limit what a buyer pays for: without them the request is not sent. */
  readonly binding?: readonly string[];
  /** Those of them that limit all parts together, so that a request at several sellers is refused. */
  readonly shared?: readonly string[];
  /** The one of them with the amount and currency of the whole, which is divided among its parts before they are sent. */
  readonly divided?: string;
}

/**
 * One release that follows another. Everything that differs stands in one folder (docs/protocol/requests-and-versions.md#releases):
 * messages are read and written in the form of the release on which all of them stand, and these rules are applied to
 * them on their way in and out.
 */
export interface Release {
  readonly name: ReleaseName;
  /** Other names by which a caller may ask for it. */
  readonly spelled: readonly string[];
  /** Requests by the task's name; `*` holds for every task. */
  readonly requests: Readonly<Record<string, MemberRules>>;
  readonly answers: Readonly<Record<string, MemberRules>>;
  /** What its own answers cannot hold, although sellers of it say it elsewhere. */
  readonly neverAnswered?: Readonly<Record<string, MemberRules>>;
  /** Codes that it added. */
  readonly errors: readonly ErrorRow[];
}
