import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import { answeredForm } from '../versions/seller-form.js';
import type {
  CreativeFormat,
  ListCreativeFormatsAnswer,
  ListCreativeFormatsRequest,
} from '../entities/format/creative-format.js';
import type { Finding } from '../losses/finding.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { projectPage, readList, readPage } from '../message/answer.js';
import { hasKind } from '../entities/creative/asset-kinds.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x, markSeller, sellerOf } from '../message/form.js';
import { fittedFormat, isAgentAbility, isCategory } from '../entities/format/format-members.js';
import { projectFormatId, readFormatId, readFormatIds } from '../entities/format/format-id.js';
import {
  inputSchemaOf,
  extras,
  formatIdShape,
  idText,
  paginationShape,
  readShape,
} from '../message/shapes.js';
import { lostMembers, type Carriage } from '../losses/lost-members.js';
import {
  countAt,
  listAt,
  member,
  objectAt,
  objectsAt,
  patched,
  textAt,
  textsAt,
  without,
} from '../message/pick.js';
import { lists, texts } from '../message/plain-types.js';

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
  ...texts('wcag_level', 'publisher_domain', 'property_id'),
  ...lists('input_format_ids', 'output_format_ids', 'disclosure_positions', 'disclosure_persistence'),
  pagination: paginationShape.optional(),
});

/** Filters with the same name in every published release; `service` has none of them. */
const sameInSchemas = [
  'asset_types',
  'max_width',
  'max_height',
  'min_width',
  'min_height',
  'is_responsive',
  'name_search',
];
/** Members of 3.x only. */
const modernMembers = [
  'output_format_ids',
  'input_format_ids',
  'wcag_level',
  'disclosure_positions',
  'disclosure_persistence',
];
/** Members of 3.1 only. */
const newestMembers = ['publisher_domain', 'property_id'];

const carriage: Carriage = {
  aliases: { type: ['format_types'], format_types: ['type'] },
  local: ['pagination', 'format_ids'],
};

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

  readRequest(args, profile) {
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
        pageSize: countAt(objectAt(args, 'pagination'), 'max_results'),
        cursor: textAt(objectAt(args, 'pagination'), 'cursor'),
        original: { form: profile.form, value: args },
      }),
    });
  },

  projectRequest(request, to) {
    const types = request.formatTypes;
    const [first] = types ?? [];
    const args = {
      ...carried(request.original?.value, to.form),
      ...projectExtras(request, to, 'read'),
      ...defined({
        format_types: to.form === 'service' && types !== undefined ? [...types] : undefined,
        // 2.5 filters by one type; several are filtered when the answers are merged.
        type: to.form === '2.5' && types?.length === 1 ? first : undefined,
        format_ids: to.form === 'service' ? undefined : request.formatIds?.map(projectFormatId),
        pagination: is3x(to.form) ? requestedPage(request) : undefined,
      }),
    } as JsonObject;
    const { original } = request;
    return { args, findings: original === undefined ? [] : lostMembers(original.value, args, carriage) };
  },

  readAnswer(payload, from) {
    const notes: Finding[] = [];
    const form = answeredForm(payload, from);
    const list = readList(payload, 'formats', (item) => {
      if (hasOddPrices(item)) notes.push(oddPrices);
      return readFormat(item, form);
    });
    if (!list.ok) return list;
    const agents = objectsAt(payload, 'creative_agents').filter(
      (agent) => textAt(agent, 'agent_url') !== undefined,
    );
    const answer = {
      formats: list.value.items,
      ...defined({ creativeAgents: agents.length === 0 ? undefined : agents, page: readPage(payload) }),
    };
    return ok({ answer, setAside: [...list.value.setAside, ...notes] });
  },

  projectAnswer(answer, to) {
    const formats = answer.formats.map((format) => projectFormat(format, to.form));
    const agents = answer.creativeAgents?.map((agent) => agentFor(agent, to.form));
    return {
      formats,
      ...(agents === undefined ? {} : { creative_agents: agents }),
      ...projectPage(answer.page, to.form),
    };
  },
};

/** A creative agent with the capabilities that a form defines. */
function agentFor(agent: JsonObject, to: Form): JsonObject {
  const abilities = listAt(agent, 'capabilities');
  return patched(agent, {
    capabilities: abilities?.filter((ability) => isAgentAbility(ability, to)),
  });
}

function carried(reported: JsonObject | undefined, to: Form): JsonObject {
  if (reported === undefined || to === 'service') return {};
  const names = [
    ...sameInSchemas,
    ...(is3x(to) ? modernMembers : []),
    ...(to === '3.1' ? newestMembers : []),
  ];
  const same = Object.fromEntries(Object.entries(reported).filter(([name]) => names.includes(name)));
  // A format must take every requested kind: without those that a release lacks, more formats match.
  const kinds = listAt(reported, 'asset_types')?.filter(
    (kind) => typeof kind === 'string' && hasKind(kind, to),
  );
  const askable = kinds === undefined || kinds.length === 0 ? {} : { asset_types: kinds };
  return { ...without(same, ['asset_types']), ...askable };
}

function requestedPage({ pageSize, cursor }: ListCreativeFormatsRequest): JsonObject | undefined {
  if (pageSize === undefined && cursor === undefined) return undefined;
  return defined({ max_results: pageSize, cursor });
}

function readFormat(value: JsonValue, form: Form): Result<CreativeFormat, Finding> {
  if (!isJsonObject(value)) return err({ code: 'FORMAT_SET_ASIDE', message: 'a format is no object' });
  const formatId = readFormatId(value['format_id']);
  if (formatId === undefined) return err({ code: 'FORMAT_SET_ASIDE', message: 'a format has no format_id' });
  return ok({
    formatId,
    name: textAt(value, 'name') ?? formatId.id,
    ...defined({ type: textAt(value, 'type'), seller: sellerOf(value) }),
    original: { form, value: hasOddPrices(value) ? without(value, ['pricing_options']) : value },
  });
}

const oddPrices: Finding = {
  code: 'FORMAT_PRICES_SET_ASIDE',
  message: 'a format has a price list that is empty or names no options',
  field: 'formats[].pricing_options',
};

/** Prices of a format must be a list of options, each with an id and a model, or absent. */
function hasOddPrices(value: JsonValue): boolean {
  const prices = isJsonObject(value) ? member(value, 'pricing_options') : undefined;
  if (prices === undefined) return false;
  const isOption = (option: JsonValue): boolean =>
    isJsonObject(option) &&
    textAt(option, 'pricing_option_id') !== undefined &&
    textAt(option, 'model') !== undefined;
  return !Array.isArray(prices) || prices.length === 0 || !prices.every(isOption);
}

/** Format ids are not changed (docs/protocol/requests-and-versions.md#ids); missing required members are added. */
function projectFormat(format: CreativeFormat, to: Form): JsonObject {
  const { form, value } = format.original;
  const filled = defined({ name: format.name, type: typeFor(format, to) });
  if (form === to || to === 'service') {
    const base = form === 'ours' ? { format_id: projectFormatId(format.formatId) } : value;
    return markSeller(patched(base, filled), format.seller, to);
  }
  const { members } = fittedFormat(value, form, to);
  const id = { format_id: value['format_id'] ?? projectFormatId(format.formatId) };
  return markSeller(structuredClone({ ...members, ...id, ...filled }), format.seller, to);
}

/** 2.5 requires a category, from a short list. */
function typeFor({ type }: CreativeFormat, to: Form): string | undefined {
  if (to !== '2.5') return type;
  return type !== undefined && isCategory(type) ? type : 'universal';
}
