import type { ErrorRow } from '../../errors/error-row.js';

/** Codes that 3.2 added. Older peers take them by their recovery class: lists of codes are open. */
export const errors: readonly ErrorRow[] = [
  ['correctable', 400, 'ACCOUNT_REQUIRED', 'INVALID_PRICING_OPTION', 'CONFLICTING_SELECTORS'],
  ['correctable', 409, 'ACCOUNT_MOVED', 'ACCOUNT_IDENTITY_CONFLICT'],
  ['correctable', 422, 'INVALID_USAGE_DATA', 'BIDDING_PLACEMENT_CONFLICT', 'AMBIGUOUS_BIDDING_POLICY'],
  ['correctable', 422, 'PLACE_TARGET_UNAVAILABLE', 'CREATIVE_LOCALE_NOT_ACCEPTED'],
  ['correctable', 422, 'PROVENANCE_SYNTHETIC_DEPICTION_MISSING'],
  ['correctable', 422, 'VAST_PARSE_FAILED', 'VAST_VERSION_MISMATCH', 'VAST_WRAPPER_DEPTH_EXCEEDED'],
  ['correctable', 400, 'SIGNED_RESPONSE_REQUEST_HASH_MISMATCH', 'SIGNED_RESPONSE_TENANT_MISMATCH'],
  ['transient', 503, 'SIGNED_RESPONSE_ENVELOPE_EXPIRED'],
];
