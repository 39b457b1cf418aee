import type { JsonObject } from '@switchyard/values';
import type { Recovery } from './recovery.js';
import type { TaskError } from './task-fault.js';
import { errorAliases, errorRows, shownAlone, type ErrorShown } from './error-table.js';
import { knownReleases } from '../releases/known-releases.js';
import type { SellerReply } from './seller-reply.js';

interface TaskErrorExtras {
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly details?: JsonObject;
}

/** Returns an error of ours, with the recovery class of its code. The code may be a name of either dialect. */
export function taskError(code: string, message: string, extras: TaskErrorExtras = {}): TaskError {
  return { code: canonicalCode(code), message, recovery: errorRule(code).recovery, ...extras };
}

interface ErrorRule {
  readonly recovery: Recovery;
  /** REST only: MCP and A2A carry task errors in their own answers. */
  readonly httpStatus: number;
}

const rules: ReadonlyMap<string, ErrorRule> = new Map(
  [...errorRows, ...knownReleases.flatMap(({ errors }) => errors)].flatMap(
    ([recovery, httpStatus, ...codes]) => codes.map((code) => [code, { recovery, httpStatus }] as const),
  ),
);

/** The canonical name of a code. Unknown codes are unchanged. */
export function canonicalCode(code: string): string {
  return Object.hasOwn(errorAliases, code) ? (errorAliases[code] ?? code) : code;
}

/** Recovery and HTTP status of a code; an unknown code is a temporary server error. */
export function errorRule(code: string): ErrorRule {
  const canonical = canonicalCode(code);
  if (canonical.startsWith('request_signature_')) return { recovery: 'correctable', httpStatus: 401 };
  return rules.get(canonical) ?? { recovery: 'transient', httpStatus: 500 };
}

export function isKnownCode(code: string): boolean {
  return rules.has(canonicalCode(code));
}

/** How every endpoint shows the code; a signature that is missing or wrong is a challenge as well. */
export function shownAs(code: string): ErrorShown {
  const canonical = canonicalCode(code);
  if (canonical.startsWith('request_signature_')) return 'challenge';
  return Object.hasOwn(shownAlone, canonical) ? (shownAlone[canonical] ?? 'task') : 'task';
}

export function httpStatusOf(code: string): number {
  return errorRule(code).httpStatus;
}

/** Error codes of a seller whose release or features differ from the stored ones. */
const outdated: ReadonlySet<string> = new Set(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE']);

/** True if a seller refused because its stored capabilities are outdated and must be fetched again. */
export function isOutdated({ errors }: Pick<SellerReply, 'errors'>): boolean {
  return errors.some(({ code }) => outdated.has(code));
}
