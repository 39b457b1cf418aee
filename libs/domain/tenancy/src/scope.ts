/** The tenant of a statement. It is the first argument of every repository function. */
export interface TenantScope {
  readonly organizationId: string;
}
