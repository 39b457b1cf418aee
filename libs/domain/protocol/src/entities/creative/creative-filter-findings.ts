import type { CreativeFilters } from './creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';

/** Findings for filters that the other form does not have. */
export function creativeFilterFindings(filters: CreativeFilters, to: Form): readonly Finding[] {
  const finding = (name: string): Finding => ({
    code: 'FILTER_LEFT_OUT',
    message: `The seller's form cannot filter creatives by ${name}.`,
    field: `filters.${name}`,
  });
  const lost: Finding[] = [];
  if (is3x(to) && filters.buyerRefs !== undefined) lost.push(finding('buyer_refs'));
  if (!is3x(to) && filters.accounts !== undefined) lost.push(finding('accounts'));
  if (!is3x(to) && filters.conceptIds !== undefined) lost.push(finding('concept_ids'));
  if (is3x(to) && filters.formatNames !== undefined) lost.push(finding('formats'));
  if (is3x(to)) lost.push(...emptyLists(filters).map(finding));
  return lost;
}

/** Empty lists of the older forms, by their names in 3.x, which does not allow them. */
function emptyLists(filters: CreativeFilters): readonly string[] {
  const { formats, statuses, tags, tagsAny, creativeIds, packageIds, mediaBuyIds, accounts, conceptIds } =
    filters;
  const lists = {
    ...{ format_ids: formats, statuses, tags, tags_any: tagsAny, creative_ids: creativeIds },
    ...{ assigned_to_packages: packageIds, media_buy_ids: mediaBuyIds, accounts, concept_ids: conceptIds },
  };
  return Object.entries(lists)
    .filter(([, list]) => list?.length === 0)
    .map(([name]) => name);
}
