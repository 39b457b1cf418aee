import type { PrincipalKind, TenantScope } from '@switchyard/tenancy';

/** Who wants us to act for which brand. */
export interface OperatorQuestion {
  readonly principalId: string;
  readonly principalKind: PrincipalKind;
  readonly brandDomain: string;
  /** Empty if the request names the brand by its domain alone. */
  readonly brandId: string;
  /** Two-letter codes of the countries where the media will run; empty if the request names none. */
  readonly countries: readonly string[];
}

export type OperatorVerdict =
  | { readonly kind: 'granted' }
  | { readonly kind: 'finding'; readonly reason: string; readonly message: string }
  /** `mayPass`: the same request may be accepted later without a change at the brand. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly message: string;
      readonly mayPass: boolean;
    };

export interface OperatorCheck {
  /** Whether the brand's own document lets our organization act for it. */
  judge(scope: TenantScope, question: OperatorQuestion): Promise<OperatorVerdict>;
  /** Whether the declared operator is our organization, the only operator we act as. */
  declared(scope: TenantScope, operator: string): Promise<OperatorVerdict>;
}
