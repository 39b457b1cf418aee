import { taskError, type AnyTaskSpec, type TaskError } from '@switchyard/protocol';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import { scopeOf, type Caller } from '../call/task-call.js';
import { mayActForNamed } from './reach-of-task.js';

/**
 * The arguments with the domain of a brand that they name by its `brand_id` alone. It is looked up among the accounts of
 * the caller and the brands that its organization has entered, as far as the caller may act for them
 * (docs/protocol/accounts.md#brands-by-their-id). A brand of nobody and one that is not for this caller are the same
 * error: without it the request would be for the only account of the caller, which may be of another brand.
 */
export async function withBrandDomain(
  { principals, ports: { campaigns } }: Pick<HandlerDeps, 'principals' | 'ports'>,
  caller: Caller,
  spec: AnyTaskSpec,
  args: JsonObject,
): Promise<Result<JsonObject, TaskError>> {
  const { brand, brand_manifest: manifest } = args;
  const id = isJsonObject(brand) ? brand['brand_id'] : undefined;
  const isNamed = !isJsonObject(brand) || brand['domain'] !== undefined || manifest !== undefined;
  if (caller.kind === 'public' || isNamed || typeof id !== 'string' || id === '') return ok(args);
  const scope = scopeOf(caller);
  const own = (await principals.accountsOf(scope, caller.principalId))
    .filter(({ brandId }) => brandId === id)
    .map(({ brandDomain }) => brandDomain);
  const domains = new Set(own);
  for (const { domain, clientId } of (await campaigns?.brandsWithId(scope, id)) ?? []) {
    const named = { brandDomain: domain, brandId: id, clientId };
    if (!domains.has(domain) && (await mayActForNamed(campaigns, caller, spec, named))) domains.add(domain);
  }
  const [domain, another] = domains;
  if (domain === undefined) return err(unknown);
  return another === undefined ? ok({ ...args, brand: { ...brand, domain } }) : err(ambiguous);
}

const field = 'brand.brand_id';
const suggestion = 'Name the brand by its domain as well: {domain, brand_id}.';
const unknown = taskError('REFERENCE_NOT_FOUND', 'You have no brand with this id.', { field, suggestion });
const ambiguous = taskError('INVALID_REQUEST', 'Several of your brands have this id.', { field, suggestion });
