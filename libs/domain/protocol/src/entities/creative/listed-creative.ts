import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { ListedCreative } from './creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { projectCreativeStatus, readCreativeStatus } from './creative.js';
import { fittedAssets } from './creative-assets.js';
import { is3x } from '../../message/form.js';
import { objectAt, objectsAt, textAt, textsAt } from '../../message/pick.js';
import { withSellers } from './synced-creative.js';

/** Reads one creative of a seller's library. One without an id or with an unknown state is set aside. */
export function readListed(value: JsonValue, form: Form): Result<ListedCreative, Finding> {
  const setAside = (message: string): Result<never, Finding> => err({ code: 'CREATIVE_SET_ASIDE', message });
  if (!isJsonObject(value)) return setAside('a creative is no object');
  const creativeId = textAt(value, 'creative_id');
  const status = readCreativeStatus(value['status']);
  if (creativeId === undefined) return setAside('a creative has no creative_id');
  if (status === undefined) return setAside('a creative has no state that we know');
  return ok({
    creativeId,
    name: textAt(value, 'name') ?? creativeId,
    status,
    createdAt: textAt(value, 'created_date') ?? '',
    updatedAt: textAt(value, 'updated_date') ?? '',
    tags: textsAt(value, 'tags'),
    ...defined({
      format: objectAt(value, 'format_id'),
      formatKind: textAt(value, 'format_kind'),
      assets: objectAt(value, 'assets'),
      assignments: readAssigned(objectAt(value, 'assignments')),
      reason: textAt(value, 'rejection_reason') ?? textAt(value, 'status_reason'),
    }),
    original: { form, value },
  });
}

function readAssigned(value: JsonObject | undefined): ListedCreative['assignments'] {
  if (value === undefined) return undefined;
  return objectsAt(value, 'assigned_packages').flatMap((row) => {
    const packageId = textAt(row, 'package_id');
    return packageId === undefined ? [] : [{ packageId, assignedAt: textAt(row, 'assigned_date') ?? '' }];
  });
}

/** Members a caller may exclude; the others are required in every row. */
const optional = [
  'tags',
  'assignments',
  'assets',
  'format_id',
  'format_kind',
  'format_option_ref',
  'concept',
];

/**
 * Writes a creative of our library. Only 3.1 has a kind without a format id: elsewhere a format of the same name is
 * written, so that no row is lost.
 */
export function projectListed(
  creative: ListedCreative,
  to: Form,
  fields: readonly string[] | undefined,
): JsonObject {
  const stored = fields === undefined ? optional : optional.filter((name) => isWanted(name, fields));
  const hasKind = creative.format === undefined && creative.formatKind !== undefined;
  const tags = stored.includes('tags') && creative.tags.length > 0 ? [...creative.tags] : undefined;
  const assets = stored.includes('assets') ? creative.assets : undefined;
  const option = to === '3.1' && hasKind ? objectAt(creative.original.value, 'format_option_ref') : undefined;
  const hasConcept = is3x(to) && stored.includes('concept');
  const row = defined({
    creative_id: creative.creativeId,
    name: creative.name,
    format_id: creative.format ?? (hasKind && to !== '3.1' ? kindAsFormat(creative) : undefined),
    format_kind: hasKind && to === '3.1' ? creative.formatKind : undefined,
    format_option_ref: option,
    status: projectCreativeStatus(creative.status, to),
    created_date: creative.createdAt,
    updated_date: creative.updatedAt,
    rejection_reason: creative.reason,
    concept_id: hasConcept ? textAt(creative.original.value, 'concept_id') : undefined,
    concept_name: hasConcept ? textAt(creative.original.value, 'concept_name') : undefined,
    assets: assets === undefined ? undefined : fittedAssets(assets, creative.original.form, to),
    tags,
    assignments:
      creative.assignments === undefined || !stored.includes('assignments')
        ? undefined
        : projectAssigned(creative.assignments, to),
  });
  return withSellers(structuredClone(row), creative.sellers, to);
}

function isWanted(name: string, fields: readonly string[]): boolean {
  // The format is required in every row, and no release lists assets among the fields that can be selected.
  return name.startsWith('format') || fields.includes(name);
}

function kindAsFormat(creative: ListedCreative): JsonObject {
  return { agent_url: 'https://adcontextprotocol.org', id: creative.formatKind ?? 'unknown' };
}

function projectAssigned(assignments: NonNullable<ListedCreative['assignments']>, to: Form): JsonObject {
  return {
    assignment_count: assignments.length,
    assigned_packages: assignments.map(({ packageId, assignedAt }) => ({
      package_id: packageId,
      assigned_date: assignedAt,
      ...(is3x(to) ? {} : { status: 'active' }),
    })),
  };
}
