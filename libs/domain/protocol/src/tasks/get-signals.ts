import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { answeredForm } from '../versions/seller-form.js';
import type { GetSignalsAnswer, GetSignalsRequest } from '../entities/signal/get-signals.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { numberOf, priceAt } from '../message/amount.js';
import { projectIncomplete, projectPage, readIncomplete, readList, readPage } from '../message/answer.js';
import { closedWordFaults } from '../message/closed-values.js';
import { addressFaults, countryFaults, deliveryFaults } from '../entities/delivery/delivery-faults.js';
import { projectTarget, readTarget } from '../entities/signal/deployment.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import {
  inputSchemaOf,
  anyObject,
  deploymentTargetShape,
  extras,
  idText,
  paginationShape,
  text,
  readShape,
} from '../message/shapes.js';
import { lostMembers, notCarried, type Carriage } from '../losses/lost-members.js';
import { countAt, listAt, numberAt, objectAt, textAt, textsAt } from '../message/pick.js';
import { objects, texts } from '../message/plain-types.js';
import { required } from '../message/require.js';
import { projectSignal, readSignal } from '../entities/signal/signal.js';
import { signalIdsOf } from '../entities/signal/signal-names.js';
import { notExpressible } from '../losses/finding.js';

const countries = z.array(idText).max(300);
const targets = z.array(deploymentTargetShape).max(200);

const shape = z.looseObject({
  ...extras,
  signal_spec: text.optional().describe('The audience, in plain words.'),
  discovery_mode: z.enum(['brief', 'wholesale']).optional(),
  signal_ids: z.array(anyObject).max(500).optional(),
  signal_refs: z.array(anyObject).max(500).optional(),
  deliver_to: z.looseObject({ deployments: targets.min(1), countries }).optional(),
  destinations: targets.optional(),
  countries: countries.optional(),
  filters: z
    .looseObject({
      catalog_types: z.array(idText).max(50).optional(),
      data_providers: z.array(idText).max(500).optional(),
      max_cpm: z.number().min(0).optional(),
      min_coverage_percentage: z.number().min(0).max(100).optional(),
      max_percent: z.number().min(0).max(100).optional(),
      ...objects('ext'),
    })
    .optional(),
  max_results: z.int().min(1).max(10_000).optional(),
  pagination: paginationShape.optional(),
  fields: z.array(idText).max(200).optional(),
  ...texts('if_wholesale_feed_version', 'if_pricing_version'),
});

/** The types of catalogs, a closed list in every form. */
const catalogTypes = ['marketplace', 'custom', 'owned'];

const carriage: Carriage = {
  aliases: {
    deliver_to: ['destinations', 'countries'],
    destinations: ['deliver_to'],
    countries: ['deliver_to'],
    signal_refs: ['signal_ids'],
  },
  local: ['pagination', 'fields', 'max_results'],
};

export const getSignals: TaskSpec<GetSignalsRequest, GetSignalsAnswer> = {
  name: 'get_signals',
  names: { ads: ['get_signals'], adcp: ['get_signals'] },
  access: 'credentials',
  kind: 'read',
  area: 'signals',
  permission: 'read',
  serves: 'signals',
  deadlineMs: 60_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile, exact) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const signalSpec = textAt(args, 'signal_spec') ?? '';
    const byId = listAt(args, 'signal_ids') !== undefined || listAt(args, 'signal_refs') !== undefined;
    const errors = [];
    if (!is3x(profile.form)) {
      if (signalSpec === '') errors.push(required('signal_spec'));
      if (objectAt(args, 'deliver_to') === undefined) errors.push(required('deliver_to'));
    } else if (signalSpec === '' && !byId && textAt(args, 'discovery_mode') !== 'wholesale') {
      errors.push(required('signal_spec', 'Describe the audience, or name signals by signal_ids.'));
    }
    errors.push(...deliveryFaults(args), ...addressFaults(args), ...countryFaults(args));
    const { catalog_types: types } = checked.value.filters ?? {};
    errors.push(...closedWordFaults(types, 'filters.catalog_types', catalogTypes));
    if (errors.length > 0) return err(errors);
    const delivery = objectAt(args, 'deliver_to');
    const listed = listAt(delivery, 'deployments') ?? listAt(args, 'destinations') ?? [];
    // In 3.x the page size replaces the maximum of results.
    const isPaged = is3x(profile.form) && objectAt(args, 'pagination')?.['max_results'] !== undefined;
    return ok({
      ...readExtras(args),
      signalSpec,
      destinations: listed.map(readTarget).filter((target) => target !== undefined),
      countries: textsAt(delivery ?? args, 'countries'),
      ...defined({
        filters: readFilters(objectAt(args, 'filters'), exact),
        maxResults: isPaged ? undefined : countAt(args, 'max_results'),
        pageSize: countAt(objectAt(args, 'pagination'), 'max_results'),
        cursor: textAt(objectAt(args, 'pagination'), 'cursor'),
        discoveryMode: textAt(args, 'discovery_mode'),
        fields: textsAt(args, 'fields').length === 0 ? undefined : textsAt(args, 'fields'),
        original: { form: profile.form, value: args },
        signalIds: someObjects(args, 'signal_ids'),
        signalRefs: someObjects(args, 'signal_refs'),
      }),
    });
  },

  projectRequest(request, to) {
    const destinations = request.destinations.map(projectTarget);
    const isModern = is3x(to.form);
    const byOldId = signalIdsOf(request.signalIds, request.signalRefs);
    const ids = to.form === '3.1' ? request.signalIds : byOldId.ids;
    const where = isModern
      ? {
          destinations: destinations.length === 0 ? undefined : destinations,
          countries: request.countries.length === 0 ? undefined : [...request.countries],
          signal_ids: ids?.map((id) => structuredClone(id)),
          signal_refs: to.form === '3.1' ? request.signalRefs?.map((ref) => structuredClone(ref)) : undefined,
        }
      : { deliver_to: { deployments: destinations, countries: [...request.countries] } };
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({
        discovery_mode: to.form === '3.1' ? request.discoveryMode : undefined,
        signal_spec: request.signalSpec === '' ? undefined : request.signalSpec,
        ...where,
        filters: projectFilters(request.filters, to.form),
        max_results: request.maxResults,
        pagination: isModern ? requestedPage(request) : undefined,
      }),
    } as JsonObject;
    const lost = request.original === undefined ? [] : lostMembers(request.original.value, args, carriage);
    // Releases before 3.1 write a reference as an id, unless it exists within one product only.
    const isKnown = to.form !== '3.0' || byOldId.isWhole || lost.some(({ field }) => field === 'signal_refs');
    return {
      args,
      findings: isKnown ? lost : [...lost, notCarried('signal_refs')],
      ...defined({ notExpressible: notExpressibleIn(args, to.form) }),
    };
  },

  readAnswer(payload, from, exact = new Map()) {
    const form = answeredForm(payload, from);
    const list = readList(payload, 'signals', (item, pointer) => readSignal(item, form, pointer, exact));
    if (!list.ok) return list;
    const incomplete = readIncomplete(payload);
    const answer = {
      signals: list.value.items,
      ...defined({ incomplete: incomplete.length === 0 ? undefined : incomplete, page: readPage(payload) }),
    };
    return ok({ answer, setAside: list.value.setAside });
  },

  projectAnswer(answer, to) {
    const signals = answer.signals.map((signal) => projectSignal(signal, to.form));
    if (!is3x(to.form)) return { signals };
    return {
      signals,
      // The answer depends on the credentials of the caller's organization, so only this account may cache it.
      ...(to.form === '3.1' ? { cache_scope: 'account' } : {}),
      ...projectIncomplete(answer.incomplete, to.form),
      ...projectPage(answer.page, to.form),
    };
  },
};

/** Before 3.1 a request cannot list all signals, and the older forms require a description and destinations. */
function notExpressibleIn(args: JsonObject, to: Form): TaskError | undefined {
  const isNamed = to === '3.0' && args['signal_ids'] !== undefined;
  if (to !== '3.1' && args['signal_spec'] === undefined && !isNamed)
    return notExpressible(
      'signal_spec',
      'The protocol version of this agent needs a description of the signals.',
      'Describe the audience in signal_spec, so that these agents can be asked as well.',
    );
  if (is3x(to) || (listAt(objectAt(args, 'deliver_to'), 'deployments') ?? []).length > 0) return undefined;
  return notExpressible(
    'destinations',
    'The protocol version of this agent needs destinations for signals.',
    'Name the destinations, so that these agents can be asked as well.',
  );
}

function requestedPage({ pageSize, cursor }: GetSignalsRequest): JsonObject | undefined {
  if (pageSize === undefined && cursor === undefined) return undefined;
  return defined({ max_results: pageSize, cursor });
}

function readFilters(
  value: JsonObject | undefined,
  exact: ReadonlyMap<string, string>,
): GetSignalsRequest['filters'] | undefined {
  if (value === undefined) return undefined;
  const types = textsAt(value, 'catalog_types');
  const dataProviders = textsAt(value, 'data_providers');
  return defined({
    catalogTypes: types.length === 0 ? undefined : types,
    dataProviders: dataProviders.length === 0 ? undefined : dataProviders,
    maxCpm: priceAt(value, 'max_cpm', '/filters', exact),
    minCoveragePercentage: numberAt(value, 'min_coverage_percentage'),
    maxPercent: numberAt(value, 'max_percent'),
  });
}

function projectFilters(filters: GetSignalsRequest['filters'], to: Form): JsonObject | undefined {
  if (filters === undefined) return undefined;
  return defined({
    catalog_types: filters.catalogTypes === undefined ? undefined : [...filters.catalogTypes],
    data_providers: filters.dataProviders === undefined ? undefined : [...filters.dataProviders],
    max_cpm: filters.maxCpm === undefined ? undefined : numberOf(filters.maxCpm),
    min_coverage_percentage: filters.minCoveragePercentage,
    max_percent: is3x(to) ? filters.maxPercent : undefined,
  });
}

function someObjects(args: JsonObject, key: string): readonly JsonObject[] | undefined {
  return listAt(args, key) as readonly JsonObject[] | undefined;
}
