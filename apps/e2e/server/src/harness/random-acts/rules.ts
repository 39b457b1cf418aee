/*
 * The rules of money and of people, as the guides say them (docs/guides/admin.md, docs/protocol/media-buys.md#spending-limits).
 * Written a second time and simply, so that the random acts are judged by something else than the code that they try.
 */

/** A permission as `area.kind`. */
export type Permission = string;

export type ScopeKind = 'organization' | 'client' | 'brand' | 'campaign' | 'own';

/** A role in a scope. `id` is the client's or campaign's UUID, or the brand's domain; empty otherwise. */
export interface HeldRole {
  readonly role: string;
  readonly scope: ScopeKind;
  readonly id: string;
}

/** Where an object stands. Absent members: nobody's. */
export interface Place {
  readonly ownerId?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  readonly brand?: string | null | undefined;
  readonly campaignId?: string | null | undefined;
}

const read = (...areas: readonly string[]): readonly Permission[] => areas.map((area) => `${area}.read`);

/** The permissions of the roles that every organization has, as far as an act needs one. */
export const rolesAtFirst: Readonly<Record<string, readonly Permission[]>> = {
  trader: [
    ...read('media_buys', 'reports', 'ledger', 'clients', 'sellers'),
    ...['media_buys.write', 'media_buys.delete', 'media_buys.approve', 'clients.write'],
  ],
  finance: [
    ...read('media_buys', 'reports', 'ledger', 'clients', 'sellers'),
    ...['media_buys.approve', 'ledger.write', 'ledger.approve'],
  ],
  reviewer: [...read('media_buys', 'reports', 'clients'), 'media_buys.approve'],
  viewer: read('media_buys', 'reports', 'ledger', 'clients', 'sellers'),
  admin: [
    ...read('media_buys', 'reports', 'ledger', 'clients', 'sellers', 'principals'),
    ...['media_buys.write', 'media_buys.delete', 'media_buys.approve', 'ledger.write', 'ledger.approve'],
    ...['clients.write', 'principals.write', 'principals.delete', 'sellers.write', 'sellers.delete'],
  ],
};

/** Sellers and people belong to the whole organization: a role in a narrower scope gives nothing there. */
const isOrganizations = (permission: Permission): boolean => /^(sellers|principals)\./.test(permission);

/** Whether one role in its scope gives the permission on an object at that place. */
export function gives(
  held: HeldRole,
  permissions: readonly Permission[],
  permission: Permission,
  principalId: string,
  place: Place,
): boolean {
  if (!permissions.includes(permission)) return false;
  switch (held.scope) {
    case 'organization':
      return true;
    case 'own':
      return !isOrganizations(permission) && place.ownerId === principalId;
    case 'client':
      return !isOrganizations(permission) && place.clientId === held.id;
    case 'brand':
      return !isOrganizations(permission) && place.brand === held.id;
    case 'campaign':
      return !isOrganizations(permission) && place.campaignId === held.id;
  }
}

/** The domain that all spellings of one brand mean. */
export const brandOf = (spelled: string): string =>
  spelled
    .toLowerCase()
    .replace(/\.+$/, '')
    .replace(/^www\./, '');

export type FourEyes = 'off' | 'known' | 'strict';

const strictness: readonly FourEyes[] = ['off', 'known', 'strict'];

export const isLooser = (wanted: FourEyes, before: FourEyes): boolean =>
  strictness.indexOf(wanted) < strictness.indexOf(before);

/** What happens to a buy that a campaign does not take, from the weakest. */
export const reactions = ['warn', 'ask', 'refuse'] as const;
export type Reaction = (typeof reactions)[number];

export const isWeaker = (wanted: Reaction, before: Reaction): boolean =>
  reactions.indexOf(wanted) < reactions.indexOf(before);

export interface Limit {
  readonly micros: bigint;
  readonly currency: string;
  readonly above: 'ask' | 'refuse';
}

/** Whether a limit surely allows no more than the one before it. */
export const isSurelyLower = (wanted: Limit, before: Limit): boolean =>
  wanted.currency === before.currency &&
  wanted.micros <= before.micros &&
  !(before.above === 'refuse' && wanted.above === 'ask');

/** Decimal text to micros. */
export function microsOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0').slice(0, 6));
}

/** Converts micros by a rate in decimal text, rounded up. */
export function convertedUp(micros: bigint, rate: string): bigint {
  const scaled = micros * microsOf(rate);
  return (scaled + 999_999n) / 1_000_000n;
}
