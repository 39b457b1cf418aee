import { isJsonObject, type JsonObject } from '@switchyard/values';
import { textAt } from './answers.js';
import type { TestControl } from './test-control.js';

const nobodys = 'test-controller.example';

/** The account that something is seeded for: the call's own, else its fixture's, else a default one. */
export function accountOfSeed({ account, params }: Pick<TestControl, 'account' | 'params'>): JsonObject {
  if (textAt(account, 'account_id') !== undefined || isJsonObject(account['brand'])) return account;
  const fixture = isJsonObject(params['fixture']) ? params['fixture'] : {};
  const named = isJsonObject(fixture['account']) ? fixture['account'] : fixture;
  return pairIn(named) ?? { brand: { domain: nobodys }, operator: nobodys };
}

/** The pair of brand and operator that a fixture names. */
export function pairIn(fixture: JsonObject): JsonObject | undefined {
  const brand = fixture['brand'];
  const domain = isJsonObject(brand) ? textAt(brand, 'domain') : textAt(fixture, 'brand_domain');
  if (domain === undefined) return undefined;
  const brandId = isJsonObject(brand) ? textAt(brand, 'brand_id') : undefined;
  return {
    brand: { domain, ...(brandId === undefined ? {} : { brand_id: brandId }) },
    operator: textAt(fixture, 'operator') ?? domain,
  };
}
