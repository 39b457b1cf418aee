import { createHash } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';

/** A UUID (RFC 9562, version 8) of what a case is about, so that our own clock opens it once. */
export function caseIdOf({ organizationId }: TenantScope, about: readonly string[]): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([organizationId, ...about]))
    .digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
