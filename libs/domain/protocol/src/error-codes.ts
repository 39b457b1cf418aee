import { errorRows } from './error-table.js';
import type { Recovery } from './model.js';

export interface ErrorRule {
  readonly recovery: Recovery;
  /** For REST alone: MCP and A2A carry task errors in answers of their own. */
  readonly httpStatus: number;
}

const rules: ReadonlyMap<string, ErrorRule> = new Map(
  errorRows.flatMap(([recovery, httpStatus, ...codes]) =>
    codes.map((code) => [code, { recovery, httpStatus }] as const),
  ),
);

/** Older and dialect spellings, each with the canonical code. */
const aliases: Readonly<Record<string, string>> = {
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

/** The one name under which the house knows a code. Codes that nobody listed stay as they are. */
export function canonicalCode(code: string): string {
  return Object.hasOwn(aliases, code) ? (aliases[code] ?? code) : code;
}

/** Recovery and status of a code; one that nobody listed is taken as a server's fault that may pass. */
export function errorRule(code: string): ErrorRule {
  const canonical = canonicalCode(code);
  if (canonical.startsWith('request_signature_')) return { recovery: 'correctable', httpStatus: 401 };
  return rules.get(canonical) ?? { recovery: 'transient', httpStatus: 500 };
}

export function isKnownCode(code: string): boolean {
  return rules.has(canonicalCode(code));
}

export function httpStatusOf(code: string): number {
  return errorRule(code).httpStatus;
}
