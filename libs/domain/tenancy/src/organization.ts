import type { Instant } from '@switchyard/values';

/** How an organization showed that its domain is its own (docs/protocol/accounts.md#proof-of-a-domain). */
export type DomainProof = 'brand_json' | 'well_known' | 'dns';

export interface Organization {
  /** UUID. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The organization's own domain: as whom it acts at sellers (docs/protocol/accounts.md#two-planes). */
  readonly domain: string;
  /**
   * Whether its sellers answer callers without credentials
   * (docs/protocol/requests-and-versions.md#callers-without-credentials).
   */
  readonly isPublic: boolean;
  /** An IANA name: where the months of its limits and the days of their rates begin. The ledger's days are in UTC. */
  readonly timeZone: string;
  /** ISO 4217: what its new campaigns and limits are in. */
  readonly currency: string;
  /** ISO 4217: what its reports are added up in. */
  readonly reportingCurrency: string;
  /** Whether it closes periods without a reconciliation after their last change; not unless set. */
  readonly closesUnreconciled?: boolean;
  /** What its well-known file or its DNS record has to hold; absent until it is needed. */
  readonly domainChallenge?: string;
  /** Absent until the domain is proved. Another domain begins without. */
  readonly domainProof?: DomainProof;
  readonly domainProvedAt?: Instant;
  readonly createdAt: Instant;
}

/** Whether this is a host name that others can reach: letters, digits and hyphens, two labels or more, no address. */
export function isHostName(text: string): boolean {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  return text.length <= 253 && new RegExp(`^(?:${label}\\.)+(?!\\d+$)${label}$`, 'i').test(text);
}

/** A name on this machine, with a port where it needs one: what the local profile takes as a domain as well. */
export function isLoopbackName(text: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3})(?::\d{1,5})?$/i.test(text);
}

/** Whether this is a time zone as the IANA database names it. An offset such as `+01:00` is none. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** Whether an operator is the organization itself: its domain, or a name below it. */
export function isOwnOperator(domain: string, operator: string): boolean {
  const [own, other] = [domain.toLowerCase(), operator.toLowerCase()];
  return other === own || other.endsWith(`.${own}`);
}
