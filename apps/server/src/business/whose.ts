import type { Belonging, MediaBuyRecord } from '@switchyard/buys';
import type { Names, NamesWanted, RowNames } from '@switchyard/store';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { z } from 'zod';

/** Members that name the owner of a row, the same in every answer; null when unknown. */
export const whoseMembers = {
  client: z.string().nullable().describe('Name of the client.'),
  client_id: z.string().nullable(),
  brand: z.string().nullable().describe('Domain of the brand.'),
  brand_name: z.string().nullable(),
  campaign: z.string().nullable().describe('Name of the campaign; null while the buy is unassigned.'),
  campaign_id: z.string().nullable(),
};
const members = z.strictObject(whoseMembers);
type Whose = Readonly<z.output<typeof members>>;

/** The ids that `whoseOf` needs for a page of rows. */
export function namesWanted(rows: readonly Belonging[]): NamesWanted {
  return {
    clientIds: rows.map(({ clientId }) => clientId),
    campaignIds: rows.map(({ campaignId }) => campaignId),
    brandDomains: rows.map(({ brandDomain }) => brandDomain),
  };
}

export function whoseOf({ clientId, brandDomain, campaignId }: Belonging, names: Names): Whose {
  return {
    client: nameIn(names.clients, clientId),
    client_id: clientId ?? null,
    brand: brandDomain ?? null,
    brand_name: nameIn(names.brands, brandDomain),
    campaign: nameIn(names.campaigns, campaignId),
    campaign_id: campaignId ?? null,
  };
}

/** The same for media buys, with their principals and their accounts at sellers. */
export function namesWantedOf(records: readonly MediaBuyRecord[]): NamesWanted {
  return {
    ...namesWanted(records.map(({ buy }) => buy)),
    principalIds: records.map(({ buy }) => buy.principalId),
    connectionIds: records.flatMap(({ sellerBuys }) => sellerBuys.map(({ connectionId }) => connectionId)),
  };
}

/** Members of a row of an operation at a seller: its owner, and the account at the seller. */
export const rowMembers = {
  ...whoseMembers,
  account: z.string().nullable().exactOptional().describe('Our account at the seller; null: none is agreed.'),
};

/** The values of `rowMembers` for one row. `operationId` may be the id of a media buy, if the names are of media buys. */
export function whoseOfRow(
  { operationId, seller }: { readonly operationId?: string | null; readonly seller?: string | null },
  { operations, accounts }: RowNames,
): Whose & { readonly account?: string | null } {
  const known = operationId === undefined || operationId === null ? undefined : operations.get(operationId);
  const whose = known ?? nobodys;
  if (seller === undefined || seller === null) return whose;
  const stored = accounts.get(seller);
  return { ...whose, account: stored === undefined ? null : accountText(stored) };
}

/** The same in the answer of a task; empty for a buy without a client or campaign. */
export function whoseInAnswer(
  { mediaBuyId, seller }: { readonly mediaBuyId: string; readonly seller?: string },
  names: RowNames | undefined,
): JsonObject {
  if (names === undefined) return {};
  const whose = whoseOfRow({ operationId: mediaBuyId, ...(seller !== undefined && { seller }) }, names);
  if (whose.client_id === null && whose.campaign_id === null) return {};
  return Object.fromEntries(Object.entries(whose).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

const nobodys: Whose = {
  client: null,
  client_id: null,
  brand: null,
  brand_name: null,
  campaign: null,
  campaign_id: null,
};

export function nameIn(names: ReadonlyMap<string, string>, id: string | undefined): string | null {
  return (id === undefined ? undefined : names.get(id)) ?? null;
}

/** The account at a seller: the seller's id of it, else the pair of brand and operator. */
export function accountAt(names: Names, connectionId: string, { buy }: Pick<MediaBuyRecord, 'buy'>): string {
  const stored = names.accounts.get(connectionId);
  return (
    (stored === undefined ? undefined : accountText(stored)) ?? pairOf(buy.brand['domain'], buy.operator)
  );
}

/** A stored account as text; null if it names none. */
function accountText(stored: string): string | null {
  const account = JSON.parse(stored) as JsonValue;
  if (!isJsonObject(account)) return null;
  const { account_id: id, accountId = id, brand, operator } = account;
  if (typeof accountId === 'string') return accountId;
  return pairOf(isJsonObject(brand) ? brand['domain'] : undefined, operator);
}

/** An account as a pair: `nova.example by agency.example`. */
export function pairOf(domain: JsonValue | undefined, operator: JsonValue | undefined): string {
  return `${typeof domain === 'string' ? domain : ''} by ${typeof operator === 'string' ? operator : ''}`;
}
