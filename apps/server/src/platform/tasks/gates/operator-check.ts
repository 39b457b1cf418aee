import { findBuy, type Belonging, type Mutation } from '@switchyard/buys';
import {
  taskError,
  updateMediaBuy,
  type Finding,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import {
  defined,
  err,
  isJsonObject,
  ok,
  brandDomainOf,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { HandledCall, HandlerDeps } from '../call/handler.js';
import type { PrincipalCaller } from '../call/task-call.js';
import { reachOfTask, refuseOutside } from './reach-of-task.js';
import type { OperatorCheck } from '../call/operators.js';

/** A brand that a request would make us act for, and the member of the request that names it. */
export interface BrandActedFor {
  readonly brandDomain: string;
  readonly brandId: string;
  readonly field?: string;
}

/**
 * Checks every brand of a request before anything is changed at a seller, for all tasks. `named` are brands that only
 * the handler knows, as of a report of usage over several accounts.
 */
export function authorizeBy(
  deps: Pick<HandlerDeps, 'operators' | 'ports' | 'grants'>,
  handled: OperatorCall,
  named?: readonly BrandActedFor[],
): Pick<Mutation<unknown>, 'authorize'> {
  const { operators } = deps;
  const { scope, principal, args } = handled;
  if (principal === undefined) return {};
  return {
    authorize: async (draft) => {
      const brands = named ?? (await brandsOf(deps, handled, draft));
      const outside = await brandOutside(deps, handled, draft, brands);
      if (outside !== undefined) return err([outside]);
      const findings: Finding[] = [];
      if (operators === undefined) return ok(findings);
      const operator = named === undefined ? operatorSent(handled, draft) : undefined;
      if (operator !== undefined) {
        const own = await judgeOperator(operators, scope, operator, placeOfAccount(args));
        if (!own.ok) return err([own.error]);
        findings.push(...own.value);
      }
      for (const brand of brands) {
        const verdict = await judgeBrand(operators, { scope, principal, args }, brand);
        if (!verdict.ok) return err([verdict.error]);
        findings.push(...verdict.value);
      }
      return ok(findings);
    },
  };
}

type Draft = Parameters<NonNullable<Mutation<unknown>['authorize']>>[0];

type OperatorCall = Pick<
  HandledCall<unknown>,
  'scope' | 'principal' | 'args' | 'account' | 'spec' | 'request'
>;

/** The refusal for the first brand of a request that no scope of its caller covers. */
async function brandOutside(
  deps: Pick<HandlerDeps, 'ports' | 'grants'>,
  handled: OperatorCall,
  { buy, operation }: Draft,
  brands: readonly BrandActedFor[],
): Promise<TaskError | undefined> {
  // Nobody is kept from stopping what they bought, whoever has entered its brand since.
  if (handled.spec.name === updateMediaBuy.name && isStop(handled.request)) return undefined;
  const brandDomain = operation.brandDomain ?? '';
  const brandId = buy === undefined ? (handled.account?.brandId ?? '') : (buy.brand['brand_id'] ?? '');
  const others = brands
    .map((brand) => ({ ...brand, brandDomain: brandDomainOf(brand.brandDomain) }))
    .filter((brand) => brand.brandDomain !== brandDomain || brand.brandId !== brandId);
  for (const named of [operation, ...others]) {
    const outside = await refuseOutside(deps, handled, placeOf(named));
    if (outside !== undefined) return outside;
  }
  return undefined;
}

/** Whether an update only pauses or cancels the whole buy. A cancellation overrides all else in its request. */
function isStop(request: unknown): boolean {
  const { canceled, paused, packages, newPackages, ...others } = request as UpdateMediaBuyRequest;
  if (canceled === true) return true;
  const changes = [
    others.budget,
    others.budgetDifference,
    others.total,
    others.startTime,
    others.endTime,
    others.targetingOverlay,
  ];
  const isAlone = [...packages, ...newPackages, ...changes].every((change) => change === undefined);
  return paused === true && isAlone && others.invoiceRecipient === undefined;
}

const placeOf = ({ brandDomain, clientId, campaignId, brandId }: Belonging & { readonly brandId?: string }) =>
  defined({ brandDomain, clientId, campaignId, brandId });

/**
 * The operator that sellers would get. A change of a buy repeats the buy's own operator, so that an existing buy can
 * always be changed and stopped; a report of usage names the organization.
 */
function operatorSent({ account }: OperatorCall, { buy, operation }: Draft): string | undefined {
  return operation.task === updateMediaBuy.name ? undefined : (buy?.operator ?? account?.operator);
}

const placeOfAccount = (args: JsonObject): string | undefined =>
  'account' in args ? 'account.operator' : undefined;

/** The verdict on a declared operator: a refusal, a finding, or nothing. */
export async function judgeOperator(
  operators: OperatorCheck,
  scope: TenantScope,
  operator: string,
  field: string | undefined,
): Promise<Result<readonly Finding[], TaskError>> {
  const verdict = await operators.declared(scope, operator);
  if (verdict.kind === 'granted') return ok([]);
  const { message, reason } = verdict;
  const place = field === undefined ? {} : { field };
  if (verdict.kind === 'finding') return ok([{ code: 'OPERATOR_NOT_OWN', message, ...place }]);
  const suggestion =
    reason === 'domain_not_proved'
      ? proveDomain
      : 'Send the domain of your organization as the operator, or the brand alone.';
  return err(taskError('PERMISSION_DENIED', message, { ...place, suggestion, details: { reason } }));
}

const proveDomain = 'Ask an admin of your organization to prove its domain (switchyard organizations prove).';

/** The verdict of the brand's document for one caller: a refusal, findings, or nothing. */
export async function judgeBrand(
  operators: OperatorCheck,
  { scope, principal, args }: Pick<HandledCall<unknown>, 'scope' | 'args'> & { principal: PrincipalCaller },
  { brandDomain, brandId, field }: BrandActedFor,
): Promise<Result<readonly Finding[], TaskError>> {
  const verdict = await operators.judge(scope, {
    principalId: principal.principalId,
    principalKind: principal.principalKind,
    brandDomain,
    brandId,
    countries: countriesOf(args),
  });
  if (verdict.kind === 'granted') return ok([]);
  const { message, reason } = verdict;
  const place = field === undefined ? {} : { field };
  if (verdict.kind === 'finding') return ok([{ code: 'OPERATOR_NOT_CONFIRMED', message, ...place }]);
  const suggestion =
    reason === 'domain_not_proved'
      ? proveDomain
      : verdict.mayPass
        ? 'Make the brand.json reachable at the brand’s own domain, and send the request again.'
        : 'Ask the brand to list our domain in authorized_operators[] of its brand.json.';
  return err(taskError('PERMISSION_DENIED', message, { ...place, suggestion, details: { reason } }));
}

/**
 * The brands of a request: the advertised one, and the one whose account pays, which may differ; if neither is named,
 * the one that the caller is the agent of.
 */
async function brandsOf(
  deps: Pick<HandlerDeps, 'ports'>,
  handled: OperatorCall,
  draft: Draft,
): Promise<readonly BrandActedFor[]> {
  const { principal, args } = handled;
  const advertised = brandIn(args['brand'], 'brand.domain');
  const paying = await payingBrand(deps, handled, draft);
  const named = [
    ...advertised,
    ...(paying ?? []).filter((brand) => !advertised.some((other) => isSameBrand(brand, other))),
  ];
  if (named.length > 0 || paying !== undefined) return named;
  const own = principal?.brandDomain;
  return own === undefined ? [] : [{ brandDomain: own, brandId: '' }];
}

/** The brand of the buy that is made or named, else of the account; undefined if the request has neither. */
async function payingBrand(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { scope, principal, spec, args, account }: OperatorCall,
  { buy, operation }: Draft,
): Promise<readonly BrandActedFor[] | undefined> {
  const accountField = 'account' in args ? 'account' : undefined;
  if (buy !== undefined) return brandIn(buy.brand, accountField);
  const id = operation.mediaBuyId ?? args['media_buy_id'];
  const reference = args['buyer_ref'];
  const named =
    typeof id === 'string'
      ? { mediaBuyId: id }
      : typeof reference === 'string'
        ? { buyerRef: reference }
        : undefined;
  if (named !== undefined) {
    if (principal === undefined) return [];
    const reaching = { principalId: principal.principalId, reach: reachOfTask(principal, spec) };
    const known = await findBuy(ports.store, scope, reaching, named);
    return brandIn(known?.buy.brand, 'mediaBuyId' in named ? 'media_buy_id' : 'buyer_ref');
  }
  if (account === undefined) return undefined;
  const { brandDomain, brandId } = account;
  return [actedFor(brandDomain, brandId, accountField)];
}

const isSameBrand = (one: BrandActedFor, other: BrandActedFor): boolean =>
  one.brandDomain.toLowerCase() === other.brandDomain.toLowerCase() && one.brandId === other.brandId;

function brandIn(brand: JsonValue | undefined, field: string | undefined): readonly BrandActedFor[] {
  const { domain, brand_id: brandId } = isJsonObject(brand) ? brand : {};
  if (typeof domain !== 'string') return [];
  return [actedFor(domain, typeof brandId === 'string' ? brandId : '', field)];
}

const actedFor = (brandDomain: string, brandId: string, field: string | undefined): BrandActedFor => ({
  brandDomain,
  brandId,
  ...(field === undefined ? {} : { field }),
});

/** Countries in the targeting of packages. A package without countries does not widen those of the others. */
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
