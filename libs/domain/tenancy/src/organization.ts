import type { Instant } from '@switchyard/values';
import type { CampaignRules } from './campaign-rules.js';
import type { FourEyes } from './four-eyes.js';

/** How an organization proved that it owns its domain (docs/protocol/accounts.md#proof-of-a-domain). */
export type DomainProof = 'brand_json' | 'well_known' | 'dns';

export interface Organization {
  /** UUID. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The organization's domain, under which it acts at sellers (docs/protocol/accounts.md#two-planes). */
  readonly domain: string;
  /**
   * Whether callers without credentials may use its sellers
   * (docs/protocol/requests-and-versions.md#callers-without-credentials).
   */
  readonly isPublic: boolean;
  /** IANA time zone in which the months of limits and the days of rates begin. The ledger's days are in UTC. */
  readonly timeZone: string;
  /** ISO 4217: currency of new campaigns and limits. */
  readonly currency: string;
  /** ISO 4217: currency of the totals in reports. */
  readonly reportingCurrency: string;
  /** Whether periods close without a reconciliation after their last change; false if absent. */
  readonly closesUnreconciled?: boolean;
  /** `known` if absent. */
  readonly fourEyes?: FourEyes;
  /** What a buy does that its campaign does not take; `usualCampaignRules` if absent. */
  readonly campaignRules?: CampaignRules;
  /** The text that the well-known file or the DNS record must contain; absent until it is needed. */
  readonly domainChallenge?: string;
  /** Absent until the domain is proved. A change of domain removes it. */
  readonly domainProof?: DomainProof;
  readonly domainProvedAt?: Instant;
  readonly createdAt: Instant;
}

/** Whether the text is a public host name: letters, digits and hyphens, two labels or more, not an address. */
export function isHostName(text: string): boolean {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  return text.length <= 253 && new RegExp(`^(?:${label}\\.)+(?!\\d+$)${label}$`, 'i').test(text);
}

/** Whether the text is a loopback name, with an optional port. The local profile accepts it as a domain. */
export function isLoopbackName(text: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3})(?::\d{1,5})?$/i.test(text);
}

/** There are about 600 zones with their older names; other texts are not kept. */
const knownZones = new Set<string>();

/** Whether the text is an IANA time zone. An offset such as `+01:00` is not. */
export function isTimeZone(text: string): boolean {
  if (knownZones.has(text)) return true;
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    // Making a format takes 40 us, and each product of a market may name its zone.
    new Intl.DateTimeFormat('en', { timeZone: text });
  } catch {
    return false;
  }
  // A zone may be written in small letters too, in many ways.
  if (knownZones.size < 1_000) knownZones.add(text);
  return true;
}

/** Whether an operator is the organization itself: its domain or a subdomain. */
export function isOwnOperator(domain: string, operator: string): boolean {
  const [own, other] = [domain.toLowerCase(), operator.toLowerCase()];
  return other === own || other.endsWith(`.${own}`);
}
