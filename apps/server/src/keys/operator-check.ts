import {
  isActive,
  judgeOperator,
  namesOperators,
  type DelegationStore,
  type OperatorFault,
} from '@switchyard/relay';
import type { BrandDocuments } from '@switchyard/sellers';
import {
  isLoopbackName,
  isOwnOperator,
  type DomainProof,
  type Organization,
  type TenantScope,
} from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { OperatorCheck } from '../platform/tasks/call/operators.js';
import type { OperatorVerdict } from '../platform/tasks/call/operators.js';
import type { OperatorQuestion } from '../platform/tasks/call/operators.js';

export interface OperatorCheckDeps {
  readonly documents: BrandDocuments;
  readonly delegations: Pick<DelegationStore, 'list'>;
  readonly organizationOf: (
    scope: TenantScope,
  ) => Promise<Pick<Organization, 'domain' | 'domainProof'> | undefined>;
  readonly clock: Clock;
  /** Brands of trials have no site: a document that cannot be fetched refuses nobody. */
  readonly isLocal: boolean;
}

/**
 * Whether a brand's own document lets us act for it (docs/protocol/accounts.md#operators-of-a-brand).
 *
 * It binds a brand's principal and everyone who acts under a delegation. For an agency's own principal a document that
 * is missing or names no operators is a finding; one that names others and not us is a refusal, since the seller would
 * read the same.
 */
export function createOperatorCheck(deps: OperatorCheckDeps): OperatorCheck {
  return {
    judge: async (scope, question) => {
      const { brandDomain } = question;
      if (deps.isLocal && isReserved(brandDomain)) return { kind: 'granted' };
      const { domain, domainProof } = await organizationOf(deps, scope);
      const isProved = isProvedDomain(deps, { domain, domainProof });
      if (isProved && domain.toLowerCase() === brandDomain.toLowerCase()) return { kind: 'granted' };
      const judged = await judge(deps, question, { operator: domain, isProved });
      if (judged.fault === undefined) return judged.verdict;
      const { fault } = judged;
      const isStrict = await isHeldToIt(deps, scope, question);
      if (fault === 'unreachable') return isStrict && !deps.isLocal ? refusal(fault) : finding(fault);
      return isStrict || judged.namesOthers ? refusal(fault) : finding(fault);
    },
    declared: async (scope, operator) =>
      judgeDeclared(await organizationOf(deps, scope), operator, deps.isLocal),
  };
}

async function organizationOf(deps: OperatorCheckDeps, scope: TenantScope) {
  const found = await deps.organizationOf(scope);
  if (found === undefined) throw new Error('A principal has an organization.');
  return found;
}

/** Anybody can call an organization by a domain: only a proved one is what a brand's document may mean. */
function isProvedDomain(
  { isLocal }: Pick<OperatorCheckDeps, 'isLocal'>,
  { domain, domainProof }: { readonly domain: string; readonly domainProof: DomainProof | undefined },
): boolean {
  return isLocal || domainProof !== undefined || isLoopbackName(domain);
}

/**
 * Sellers get the organization's own domain as operator (docs/protocol/accounts.md#the-operator-on-the-wire). One
 * called `localhost` is from before organizations were named, and keeps its old behavior.
 */
function judgeDeclared(
  { domain, domainProof }: Pick<Organization, 'domain' | 'domainProof'>,
  operator: string,
  isLocal: boolean,
): OperatorVerdict {
  if (!isOwnOperator(domain, operator)) {
    const message = `The operator ${operator} is not your organization, which is ${domain}.`;
    const reason = 'operator_not_own';
    return isLocal
      ? { kind: 'finding', reason, message }
      : { kind: 'refused', reason, message, mayPass: false };
  }
  if (isProvedDomain({ isLocal }, { domain, domainProof })) return { kind: 'granted' };
  const message = `Your organization has not proved that ${domain} is its own domain.`;
  return { kind: 'refused', reason: 'domain_not_proved', message, mayPass: true };
}

type Fault = OperatorFault | 'unreachable' | 'domain_not_proved';
type Judged =
  | { readonly fault: Fault; readonly namesOthers: boolean }
  | { readonly fault?: never; readonly verdict: OperatorVerdict };

async function judge(
  { documents, clock }: OperatorCheckDeps,
  { brandDomain, brandId, countries }: OperatorQuestion,
  { operator, isProved }: { readonly operator: string; readonly isProved: boolean },
): Promise<Judged> {
  // An operator that is missing in the cached copy may have been added since.
  for (const freshness of [undefined, 'fresh'] as const) {
    const document = await documents.read(brandDomain, freshness);
    if (!document.ok) return { fault: 'unreachable', namesOthers: false };
    if (!isProved)
      return { fault: 'domain_not_proved', namesOthers: namesOperators(document.value, brandId) };
    const act = { operator, brandDomain, brandId, countries, at: clock.now() };
    const judged = judgeOperator(document.value, act);
    if (judged.ok) {
      return { verdict: judged.value.countriesUnknown ? countriesUnknown : { kind: 'granted' } };
    }
    if (freshness === 'fresh') {
      return { fault: judged.error, namesOthers: namesOperators(document.value, brandId) };
    }
  }
  throw new Error('The second read always answers.');
}

async function isHeldToIt(
  { delegations, clock }: OperatorCheckDeps,
  scope: TenantScope,
  { principalId, principalKind }: OperatorQuestion,
): Promise<boolean> {
  if (principalKind === 'brand') return true;
  const held = await delegations.list(scope, { principalId });
  const now = clock.now();
  return held.some(({ delegation }) => isActive(delegation, now));
}

const words: Readonly<Record<Fault, string>> = {
  unreachable: 'The brand.json of the brand could not be read, so nobody can tell whether we may act for it.',
  domain_not_proved:
    'Your organization has not proved its domain, so the brand.json of the brand cannot be read as naming it.',
  not_listed: 'The brand.json of the brand does not list us among its authorized operators.',
  other_brand: 'The brand.json lets us act for other brands of this house, and not for this one.',
  other_scope: 'The brand.json lets us act for it, and not in buying media.',
  not_yet_valid: 'The brand.json lets us act for the brand at a later date.',
  no_longer_valid: 'The brand.json let us act for the brand until a date that is past.',
  other_country: 'The brand.json does not let us act for the brand in a country of this request.',
};

const countriesUnknown: OperatorVerdict = {
  kind: 'finding',
  reason: 'country_unknown',
  message: 'The brand lets us act in some countries alone, and the request names none.',
};

const refusal = (fault: Fault): OperatorVerdict => ({
  kind: 'refused',
  reason: fault,
  message: words[fault],
  mayPass: fault === 'unreachable' || fault === 'domain_not_proved',
});
const finding = (fault: Fault): OperatorVerdict => ({
  kind: 'finding',
  reason: fault,
  message: words[fault],
});

/** Reserved names without an owner (RFC 2606, RFC 6761): a lookup would only wait. */
function isReserved(domain: string): boolean {
  return /(?:^|\.)(?:example|test|invalid|localhost|local|example\.(?:com|net|org))$/i.test(domain);
}
