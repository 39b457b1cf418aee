import type { Reach } from '@switchyard/tenancy';

/** A condition of a statement with the values of its placeholders. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The rows of `alias` in reach, for a table with the columns `principal_id`, `client_id`, `brand_domain` and
 * `campaign_id`. Its values start at placeholder `$place`.
 */
export function withinReach(alias: string, reach: Reach, place: number): Condition {
  if (reach.kind === 'everything') return { text: 'true', values: [] };
  const lanes = [
    ['principal_id = ', reach.principalId],
    ['client_id = any', reach.clientIds, 'uuid[]'],
    ['brand_domain = any', reach.brandDomains, 'text[]'],
    ['campaign_id = any', reach.campaignIds, 'uuid[]'],
  ] as const;
  const used = lanes.filter(([, value]) => value !== undefined && value.length > 0);
  if (used.length === 0) return { text: 'false', values: [] };
  const text = used.map(([test, , type], at) =>
    type === undefined ? `${alias}.${test}$${place + at}` : `${alias}.${test}($${place + at}::${type})`,
  );
  return { text: `(${text.join(' or ')})`, values: used.map(([, value]) => value) };
}
