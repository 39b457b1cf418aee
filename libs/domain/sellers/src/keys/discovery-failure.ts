import type { KeyExplanation, KeyFailure } from '@switchyard/signing';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';

/**
 * Details of each failure of key discovery, in the profile's member names (docs/protocol/signing.md#discovery-of-keys).
 * `key_unknown` alone may have none. Texts of counterparties are shortened and cleaned here; the code that displays
 * them must escape them.
 */
interface DetailsByCode extends Record<Exclude<KeyFailure, 'key_unknown'>, object> {
  readonly brand_json_url_missing: { readonly agent_url: string };
  readonly capabilities_unreachable: Outage & { readonly agent_url: string };
  readonly brand_json_unreachable: Outage & { readonly brand_json_url: string };
  readonly brand_json_malformed: { readonly brand_json_url: string; readonly parse_error: string };
  readonly brand_origin_mismatch: {
    readonly agent_url: string;
    readonly agent_etld1: string;
    readonly brand_json_url_etld1: string;
  };
  readonly agent_not_in_brand_json: { readonly agent_url: string; readonly brand_json_url: string };
  readonly brand_json_ambiguous: {
    readonly matched_count: number;
    readonly matched_entries: readonly MatchedEntry[];
  };
  readonly key_origin_mismatch: {
    readonly purpose: string;
    readonly expected_origin: string;
    readonly actual_origin: string;
  };
  /** `posture`: the capability that the agent declares and that requires the purpose. */
  readonly key_origin_missing: { readonly purpose: string; readonly posture: string };
  readonly jwks_unavailable: Outage & { readonly jwks_uri: string };
  readonly jwks_untrusted: Outage & { readonly jwks_uri: string };
}

/** `dns_error`: the code of a failure before any answer. It never contains an address. */
interface Outage {
  readonly http_status: number | null;
  readonly dns_error: string | null;
  /** RFC 3339, in UTC. */
  readonly last_attempt_at: string;
}

export interface MatchedEntry {
  readonly url: string;
  readonly type: string | null;
  readonly id: string | null;
  readonly jwks_uri: string | null;
}

/** One failure, with the details of its code. */
export type DiscoveryFailure = {
  readonly [Code in keyof DetailsByCode]: { readonly code: Code; readonly details: DetailsByCode[Code] };
}[keyof DetailsByCode];

export function outageOf(
  { status, code }: { readonly status?: number; readonly code?: string },
  at: Instant,
): Outage {
  return {
    http_status: status ?? null,
    dns_error: status === undefined ? (code ?? null) : null,
    last_attempt_at: isoOf(at),
  };
}

/** Returns the failure for the checklist: its code and details, as text and as members. */
export function explanationOf({ code, details }: DiscoveryFailure): KeyExplanation {
  const words = Object.entries(details).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : [],
  );
  return {
    seen: `${code} (${words.join(', ')})`,
    details: { failure: code, ...(details as unknown as JsonObject) },
  };
}

const longest = 200;

/**
 * Returns a URL that may be stored and shown: without user name, password, query and fragment, where secrets may be.
 */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'not an address';
  const { origin, protocol, host, pathname } = new URL(url);
  return cut(`${origin === 'null' ? `${protocol}//${host}` : origin}${pathname}`);
}

/** Returns the origin alone, or a fixed text if the URL is not valid. */
export function shownOrigin(url: string): string {
  return URL.canParse(url) ? cut(new URL(url).origin) : 'not an address';
}

/** Replaces all but printable ASCII in a counterparty's text, and shortens it. */
export function cut(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, longest);
}
