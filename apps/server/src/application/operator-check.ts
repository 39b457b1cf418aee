import type { Mutation } from '@switchyard/buys';
import { taskError } from '@switchyard/protocol';
import type { PrincipalKind, TenantScope } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { HandledCall, HandlerParts } from './handler.js';

/** Who wants us to act for which brand. */
export interface OperatorQuestion {
  readonly principalId: string;
  readonly principalKind: PrincipalKind;
  readonly brandDomain: string;
  /** Empty where the request names the brand by its domain alone. */
  readonly brandId: string;
  /** Two-letter codes of where the media is to run; empty where the request does not say. */
  readonly countries: readonly string[];
}

export type OperatorVerdict =
  | { readonly kind: 'granted' }
  | { readonly kind: 'finding'; readonly reason: string; readonly message: string }
  /** `mayPass`: the same request may be let in later, with nothing changed at the brand. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly message: string;
      readonly mayPass: boolean;
    };

/** Whether the brand lets our organization act for it, by its own word. */
export interface OperatorCheck {
  judge(scope: TenantScope, question: OperatorQuestion): Promise<OperatorVerdict>;
}

/** Asks before a buy is made or changed: of the buy that is made, or of the one that stands. */
export function authorizeBy(
  { operators, ports }: Pick<HandlerParts, 'operators' | 'ports'>,
  { scope, principal, args }: Pick<HandledCall<unknown>, 'scope' | 'principal' | 'args'>,
): Pick<Mutation<unknown>, 'authorize'> {
  if (operators === undefined || principal === undefined) return {};
  const { principalId, principalKind } = principal;
  return {
    authorize: async ({ buy, operation }) => {
      const ids = buy === undefined && operation.mediaBuyId !== undefined ? [operation.mediaBuyId] : [];
      const [known] =
        ids.length === 0 ? [] : await ports.store.mediaBuys(scope, { principalId, limit: 1, ids });
      const { domain, brand_id: brandId } = (buy ?? known?.buy)?.brand ?? {};
      if (typeof domain !== 'string') return ok([]);
      const verdict = await operators.judge(scope, {
        principalId,
        principalKind,
        brandDomain: domain,
        brandId: typeof brandId === 'string' ? brandId : '',
        countries: countriesOf(args),
      });
      if (verdict.kind === 'granted') return ok([]);
      const field = buy === undefined ? 'media_buy_id' : 'brand.domain';
      const { message, reason } = verdict;
      if (verdict.kind === 'finding') return ok([{ code: 'OPERATOR_NOT_CONFIRMED', message, field }]);
      const suggestion = verdict.mayPass
        ? 'Make the brand.json reachable at the brand’s own domain, and send the request again.'
        : 'Have the brand list our domain in authorized_operators[] of its brand.json.';
      return err([taskError('PERMISSION_DENIED', message, { field, suggestion, details: { reason } })]);
    },
  };
}

/** Countries that targeting of packages names. A package that names none is not held against those that do. */
function countriesOf(args: JsonObject): readonly string[] {
  const packages = [...listOf(args['packages']), ...listOf(args['new_packages'])];
  const named = packages.map((item) => {
    const targeting = isJsonObject(item['targeting_overlay']) ? item['targeting_overlay'] : {};
    return [targeting['geo_countries'], targeting['geo_country_any_of']].flatMap((list) =>
      Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [],
    );
  });
  return named.flat();
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
