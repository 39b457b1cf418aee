/** The tenant on whose behalf a statement runs. Every repository function takes it first. */
export interface TenantScope {
  readonly organizationId: string;
}
