import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type {
  CreativeFormat,
  Finding,
  ListCreativeFormatsAnswer,
  ListCreativeFormatsRequest,
} from '../model.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../voice.js';
import { readList } from '../wire/answer.js';
import { projectExtras, readExtras } from '../wire/extras.js';
import { is3x, markSeller, sellerOf } from '../wire/form.js';
import { projectFormatId, readFormatId, readFormatIds } from '../wire/format-id.js';
import { inputSchemaOf } from '../wire/input-schema.js';
import { defined, listAt, patched, textAt, textsAt } from '../wire/pick.js';
import { readShape } from '../wire/read-shape.js';
import { extras, formatIdShape, idText, paginationShape } from '../wire/shapes.js';

const shape = z.looseObject({
  ...extras,
  format_types: z.array(idText).max(100).optional(),
  type: idText.optional(),
  format_ids: z.array(formatIdShape).max(500).optional(),
  asset_types: z.array(idText).max(100).optional(),
  max_width: z.number().optional(),
  max_height: z.number().optional(),
  min_width: z.number().optional(),
  min_height: z.number().optional(),
  is_responsive: z.boolean().optional(),
  name_search: z.string().max(1_000).optional(),
  pagination: paginationShape.optional(),
});

export const listCreativeFormats: TaskSpec<ListCreativeFormatsRequest, ListCreativeFormatsAnswer> = {
  name: 'list_creative_formats',
  names: { ads: ['list_creative_formats'], adcp: ['list_creative_formats'] },
  access: 'public',
  kind: 'read',
  area: 'creatives',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const named = checked.value.type === undefined ? [] : [checked.value.type];
    const types = [...textsAt(args, 'format_types'), ...named];
    const ids = readFormatIds(listAt(args, 'format_ids'));
    return ok({
      ...readExtras(args),
      ...defined({
        formatTypes: types.length === 0 ? undefined : types,
        formatIds: ids.length === 0 ? undefined : ids,
      }),
    });
  },

  projectRequest(request, to) {
    const types = request.formatTypes;
    const [first] = types ?? [];
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({
        format_types: to.form === 'service' && types !== undefined ? [...types] : undefined,
        // 2.5 filters by one type; several are left to whoever merges the answers.
        type: to.form === '2.5' && types?.length === 1 ? first : undefined,
        format_ids: request.formatIds?.map(projectFormatId),
      }),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload, from) {
    const list = readList(payload, 'formats', (item) => readFormat(item, from.form));
    if (!list.ok) return list;
    return ok({ answer: { formats: list.value.items }, setAside: list.value.setAside });
  },

  projectAnswer(answer, to) {
    return { formats: answer.formats.map((format) => projectFormat(format, to.form)) };
  },
};

function readFormat(value: unknown, form: Form): Result<CreativeFormat, Finding> {
  if (!isJsonObject(value)) return err({ code: 'FORMAT_SET_ASIDE', message: 'a format is no object' });
  const formatId = readFormatId(value['format_id']);
  if (formatId === undefined) return err({ code: 'FORMAT_SET_ASIDE', message: 'a format has no format_id' });
  return ok({
    formatId,
    name: textAt(value, 'name') ?? formatId.id,
    ...defined({ type: textAt(value, 'type'), seller: sellerOf(value) }),
    original: { form, value },
  });
}

/** Format ids stay as they are (ruling 13); what a form may lack is filled in. */
function projectFormat(format: CreativeFormat, to: Form): JsonObject {
  const { form, value } = format.original;
  const filled = defined({
    name: format.name,
    type: format.type ?? (to === '2.5' ? 'universal' : undefined),
  });
  if (form === to || (is3x(form) && is3x(to)) || to === 'service') {
    const base = form === 'ours' ? { format_id: projectFormatId(format.formatId) } : value;
    return markSeller(patched(base, filled), format.seller, to);
  }
  const { format_id: id, description, renders, assets } = value;
  const built = defined({
    format_id: id ?? projectFormatId(format.formatId),
    ...filled,
    description: typeof description === 'string' ? description : undefined,
    renders: to === '2.5' ? undefined : renders,
    assets: to === '2.5' ? undefined : assets,
  });
  return markSeller(structuredClone(built), format.seller, to);
}
