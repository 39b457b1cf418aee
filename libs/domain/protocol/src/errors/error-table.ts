import type { ErrorRow } from './error-row.js';

/**
 * All error codes of answers, grouped by recovery class and HTTP status. The public names (3.1) are canonical. Statuses
 * that the `service` form defines (400, 401, 404, 422) have precedence.
 */
export const errorRows: readonly ErrorRow[] = [
  [
    'correctable',
    400,
    'INVALID_REQUEST',
    'VERSION_UNSUPPORTED',
    'UNSUPPORTED_FEATURE',
    'UNSUPPORTED_GRANULARITY',
  ],
  [
    'correctable',
    400,
    'UNSUPPORTED_PROVISIONING',
    'MULTI_FINALIZE_UNSUPPORTED',
    'BRAND_REQUIRED',
    'INVALID_PRICING_MODEL',
  ],
  ['terminal', 400, 'CREDENTIAL_IN_ARGS', 'BILLING_OUT_OF_BAND'],
  ['correctable', 401, 'AUTH_MISSING'],
  ['terminal', 401, 'AUTH_INVALID'],
  ['correctable', 402, 'ACCOUNT_SETUP_REQUIRED'],
  ['terminal', 402, 'ACCOUNT_PAYMENT_REQUIRED', 'BUDGET_EXHAUSTED'],
  [
    'correctable',
    403,
    'PERMISSION_DENIED',
    'AUTHORIZATION_REQUIRED',
    'SCOPE_INSUFFICIENT',
    'READ_ONLY_SCOPE',
  ],
  ['correctable', 403, 'FIELD_NOT_PERMITTED', 'DEPLOYMENT_UNAUTHORIZED', 'GOVERNANCE_DENIED'],
  ['terminal', 403, 'AGENT_SUSPENDED', 'AGENT_BLOCKED', 'AGENT_ACCESS_DENIED', 'ACCOUNT_SUSPENDED'],
  ['correctable', 404, 'PRODUCT_NOT_FOUND', 'MEDIA_BUY_NOT_FOUND', 'PACKAGE_NOT_FOUND', 'CREATIVE_NOT_FOUND'],
  ['correctable', 404, 'SIGNAL_NOT_FOUND', 'SESSION_NOT_FOUND', 'PLAN_NOT_FOUND', 'REFERENCE_NOT_FOUND'],
  ['correctable', 404, 'PROPOSAL_NOT_FOUND', 'AGENT_NOT_FOUND'],
  ['terminal', 404, 'ACCOUNT_NOT_FOUND'],
  ['transient', 409, 'CONFLICT', 'IDEMPOTENCY_IN_FLIGHT', 'CAMPAIGN_SUSPENDED'],
  ['correctable', 409, 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_EXPIRED', 'INVALID_STATE', 'NOT_CANCELLABLE'],
  ['correctable', 409, 'ACTION_NOT_ALLOWED', 'ACCOUNT_AMBIGUOUS', 'ALREADY_ACTIVATED', 'SESSION_TERMINATED'],
  [
    'correctable',
    422,
    'VALIDATION_ERROR',
    'POLICY_VIOLATION',
    'COMPLIANCE_UNSATISFIED',
    'AUDIENCE_TOO_SMALL',
  ],
  [
    'correctable',
    422,
    'PRODUCT_UNAVAILABLE',
    'PRODUCT_EXPIRED',
    'PROPOSAL_EXPIRED',
    'PROPOSAL_NOT_COMMITTED',
  ],
  [
    'correctable',
    422,
    'REQUOTE_REQUIRED',
    'IO_REQUIRED',
    'TERMS_REJECTED',
    'BUDGET_TOO_LOW',
    'BUDGET_EXCEEDED',
  ],
  [
    'correctable',
    422,
    'BUDGET_CAP_REACHED',
    'UNPRICEABLE_OUTPUT',
    'BILLING_NOT_SUPPORTED',
    'BILLING_NOT_PERMITTED_FOR_AGENT',
  ],
  ['correctable', 422, 'PAYMENT_TERMS_NOT_SUPPORTED', 'CREATIVE_REJECTED', 'CREATIVE_DEADLINE_EXCEEDED'],
  [
    'correctable',
    422,
    'CREATIVE_VALUE_NOT_ALLOWED',
    'CREATIVE_INACCESSIBLE',
    'SIGNAL_TARGETING_INCOMPATIBLE',
  ],
  [
    'correctable',
    422,
    'PROVENANCE_REQUIRED',
    'PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING',
    'PROVENANCE_DISCLOSURE_MISSING',
  ],
  [
    'correctable',
    422,
    'PROVENANCE_EMBEDDED_MISSING',
    'PROVENANCE_VERIFIER_NOT_ACCEPTED',
    'PROVENANCE_CLAIM_CONTRADICTED',
  ],
  [
    'correctable',
    422,
    'EVALUATOR_AGENT_NOT_ACCEPTED',
    'PRIVATE_FIELD_IN_PUBLIC_PLACEMENT',
    'FORMAT_PROJECTION_FAILED',
  ],
  [
    'correctable',
    422,
    'FORMAT_DECLARATION_DIVERGENT',
    'FORMAT_DECLARATION_V1_AMBIGUOUS',
    'FORMAT_OPTION_UNRESOLVED',
  ],
  [
    'correctable',
    422,
    'FORMAT_DECLARATION_V1_LOSSY_MULTI_SIZE',
    'FORMAT_NOT_SUPPORTED',
    'PIXEL_TRACKER_LOSSY_DOWNGRADE',
  ],
  [
    'correctable',
    422,
    'PIXEL_TRACKER_UPGRADE_INFERRED',
    'FEED_FETCH_FAILED',
    'INVALID_FEED_FORMAT',
    'ITEM_VALIDATION_FAILED',
  ],
  ['correctable', 422, 'CATALOG_LIMIT_EXCEEDED', 'USAGE_REPORT_REJECTED'],
  ['correctable', 422, 'ACTIVATION_FAILED'],
  ['transient', 429, 'RATE_LIMITED'],
  ['terminal', 500, 'CONFIGURATION_ERROR'],
  ['transient', 503, 'SERVICE_UNAVAILABLE', 'GOVERNANCE_UNAVAILABLE'],
  ['transient', 200, 'STALE_RESPONSE'],
  // Ours: the result of a task that the caller canceled.
  ['terminal', 409, 'TASK_CANCELED'],
  // Ours: a seller's answer is invalid.
  ['transient', 502, 'INVALID_RESPONSE'],
  // Ours: errors before a task has begun.
  ['correctable', 403, 'ORIGIN_NOT_ALLOWED', 'HOST_NOT_ALLOWED', 'TLS_REQUIRED'],
  // Ours: a program acts for a person, who alone may do this.
  ['terminal', 403, 'PERSON_REQUIRED'],
  ['correctable', 404, 'NOT_FOUND'],
  ['correctable', 405, 'METHOD_NOT_ALLOWED'],
  ['transient', 408, 'REQUEST_TIMEOUT'],
  ['correctable', 413, 'PAYLOAD_TOO_LARGE'],
  ['correctable', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['correctable', 431, 'HEADERS_TOO_LARGE'],
  // Ours: a seller's URL differs from the one for which its credential was entered.
  ['correctable', 422, 'CREDENTIAL_REQUIRED'],
  // Ours: an organization must prove its domain before a seller beyond loopback goes live.
  ['correctable', 422, 'DOMAIN_NOT_PROVED'],
  // Ours: a session may do this after its person has shown a factor again, or has set one up.
  ['correctable', 403, 'RECENT_SIGN_IN_REQUIRED', 'SECOND_FACTOR_REQUIRED'],
  ['transient', 500, 'INTERNAL_ERROR'],
  ['transient', 503, 'UNAVAILABLE'],
];

/** Older and dialect names, with the canonical code. */
export const errorAliases: Readonly<Record<string, string>> = {
  AUTH_REQUIRED: 'AUTH_MISSING',
  INVALID_CREDENTIALS: 'AUTH_INVALID',
  TOKEN_EXPIRED: 'AUTH_INVALID',
  INSUFFICIENT_PERMISSIONS: 'PERMISSION_DENIED',
  PLATFORM_UNAUTHORIZED: 'DEPLOYMENT_UNAUTHORIZED',
  SEAT_UNAUTHORIZED: 'DEPLOYMENT_UNAUTHORIZED',
  SEGMENT_NOT_FOUND: 'SIGNAL_NOT_FOUND',
  SIGNAL_AGENT_SEGMENT_NOT_FOUND: 'SIGNAL_NOT_FOUND',
  MISSING_REQUIRED_FIELD: 'VALIDATION_ERROR',
  INVALID_FIELD_VALUE: 'VALIDATION_ERROR',
  RATE_LIMIT_EXCEEDED: 'RATE_LIMITED',
  INTERNAL_SERVER_ERROR: 'SERVICE_UNAVAILABLE',
  TIMEOUT: 'SERVICE_UNAVAILABLE',
  BUDGET_INSUFFICIENT: 'BUDGET_TOO_LOW',
};

/**
 * Names of canonical codes that differ by the caller's dialect or release
 * (docs/protocol/requests-and-versions.md#dialects). `ads`: names of the `service` form. `adcp`: public names, for
 * codes of ours that the public vocabulary lacks. `older`: names of public releases before 3.1; `oldest`: of those
 * before 3.0.
 */
export const errorNames: Readonly<
  Record<'ads' | 'adcp' | 'older' | 'oldest', Readonly<Record<string, string>>>
> = {
  ads: {
    AUTH_MISSING: 'AUTH_REQUIRED',
    PERMISSION_DENIED: 'INSUFFICIENT_PERMISSIONS',
    SIGNAL_NOT_FOUND: 'SIGNAL_AGENT_SEGMENT_NOT_FOUND',
  },
  adcp: {
    DEPLOYMENT_UNAUTHORIZED: 'PERMISSION_DENIED',
    INVALID_RESPONSE: 'SERVICE_UNAVAILABLE',
    ORIGIN_NOT_ALLOWED: 'PERMISSION_DENIED',
    HOST_NOT_ALLOWED: 'PERMISSION_DENIED',
    TLS_REQUIRED: 'PERMISSION_DENIED',
    PERSON_REQUIRED: 'PERMISSION_DENIED',
    NOT_FOUND: 'REFERENCE_NOT_FOUND',
    METHOD_NOT_ALLOWED: 'INVALID_REQUEST',
    REQUEST_TIMEOUT: 'SERVICE_UNAVAILABLE',
    PAYLOAD_TOO_LARGE: 'INVALID_REQUEST',
    UNSUPPORTED_MEDIA_TYPE: 'INVALID_REQUEST',
    HEADERS_TOO_LARGE: 'INVALID_REQUEST',
    CREDENTIAL_REQUIRED: 'INVALID_REQUEST',
    DOMAIN_NOT_PROVED: 'PERMISSION_DENIED',
    RECENT_SIGN_IN_REQUIRED: 'PERMISSION_DENIED',
    SECOND_FACTOR_REQUIRED: 'PERMISSION_DENIED',
    INTERNAL_ERROR: 'SERVICE_UNAVAILABLE',
    UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  },
  older: { AUTH_MISSING: 'AUTH_REQUIRED', AUTH_INVALID: 'AUTH_REQUIRED' },
  oldest: { SIGNAL_NOT_FOUND: 'SIGNAL_AGENT_SEGMENT_NOT_FOUND' },
};

/**
 * How an error is returned. `challenge`: HTTP 401 with `WWW-Authenticate`, over every protocol. `task`: a failed task:
 * `isError` over MCP, state `failed` over A2A, the row's HTTP status over REST. `advisory`: beside a success.
 */
export type ErrorShown = 'challenge' | 'task' | 'advisory';

export const shownAlone: Readonly<Record<string, ErrorShown>> = {
  AUTH_MISSING: 'challenge',
  AUTH_INVALID: 'challenge',
  STALE_RESPONSE: 'advisory',
};
