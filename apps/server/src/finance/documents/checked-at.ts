import type { TenantScope } from '@switchyard/tenancy';

/** The address at which whoever has a document sees that it was made by the organization. */
export const checkedAt = (baseUrl: string, { organizationId }: TenantScope, digest: string): string =>
  `${baseUrl}/verified/${organizationId}/${digest}`;
