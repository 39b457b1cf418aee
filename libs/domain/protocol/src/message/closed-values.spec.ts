import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { getSignals } from '../tasks/get-signals.js';
import { listTasks } from '../tasks/list-tasks.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const profile = (form: Form): WireProfile => ({ dialect: form === 'service' ? 'ads' : 'adcp', form });

function refusedTasks(filters: JsonObject, form: Form): readonly unknown[] {
  const read = listTasks.readRequest({ filters }, profile(form), new Map());
  return read.ok ? [] : read.error.map(({ code, field }) => [code, field]);
}

function refusedSignals(types: string[], form: Form): readonly unknown[] {
  const request = {
    signal_spec: 'fans',
    deliver_to: { deployments: [{ type: 'platform', platform: 'one' }], countries: ['US'] },
    filters: { catalog_types: types },
  };
  const read = getSignals.readRequest(request, profile(form), new Map());
  return read.ok ? [] : read.error.map(({ code, field }) => [code, field]);
}

describe.each(forms)('a filter with a closed list, in form %s', (form) => {
  it.each([
    [{ status: 'flying' }, 'filters.status'],
    [{ statuses: ['working', 'flying'] }, 'filters.statuses[1]'],
    [{ protocol: 'cooking' }, 'filters.protocol'],
    [{ protocols: ['cooking'] }, 'filters.protocols[0]'],
    [{ domain: 'cooking' }, 'filters.domain'],
    [{ domains: ['signals', 'cooking'] }, 'filters.domains[1]'],
    [{ task_type: 'fly' }, 'filters.task_type'],
    [{ task_types: ['fly'] }, 'filters.task_types[0]'],
  ])('refuses an unlisted value, with its place: %j', (filters, field) => {
    expect(refusedTasks(filters, form)).toEqual([['VALIDATION_ERROR', field]]);
  });

  it('names each refused value', () => {
    expect(refusedTasks({ status: 'flying', task_types: ['a', 'get_signals', 'b'] }, form)).toEqual([
      ['VALIDATION_ERROR', 'filters.status'],
      ['VALIDATION_ERROR', 'filters.task_types[0]'],
      ['VALIDATION_ERROR', 'filters.task_types[2]'],
    ]);
  });

  it('accepts every value that a form lists', () => {
    const filters = {
      statuses: ['submitted', 'input-required', 'auth-required', 'unknown', 'rejected'],
      protocols: ['media-buy', 'signals', 'creative', 'measurement'],
      task_types: ['create_media_buy', 'get_products', 'media_buy_delivery', 'acquire_rights'],
    };
    expect(refusedTasks(filters, form)).toEqual([]);
    expect(refusedSignals(['marketplace', 'custom', 'owned'], form)).toEqual([]);
  });

  it('refuses an unknown kind of catalogue', () => {
    expect(refusedSignals(['owned', 'borrowed'], form)).toEqual([
      ['VALIDATION_ERROR', 'filters.catalog_types[1]'],
    ]);
  });
});
