import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import type { Form } from '../versions/wire-profile.js';
import { listCreativeFormats } from './list-creative-formats.js';

/** The request to a seller of a form, if a caller of 3.1 requests formats with these asset kinds. */
function requested(
  kinds: readonly string[],
  form: Form,
): { readonly args: JsonObject; readonly lost: unknown[] } {
  const args = { asset_types: [...kinds], name_search: 'banner' };
  const read = must(listCreativeFormats.readRequest(args, { dialect: 'adcp', form: '3.1' }, new Map()));
  const sent = listCreativeFormats.projectRequest(read, { dialect: 'adcp', form });
  return { args: sent.args, lost: sent.findings.map(({ field }) => field) };
}

describe('requested asset kinds of formats', () => {
  it('are sent to each seller as far as its release has them, and the rest is reported', () => {
    const kinds = ['image', 'catalog', 'published_post'];
    expect(requested(kinds, '3.1')).toMatchObject({ args: { asset_types: kinds }, lost: [] });
    expect(requested(kinds, '3.0').args['asset_types']).toEqual(['image', 'catalog']);
    expect(requested(kinds, '2.5').args['asset_types']).toEqual(['image']);
    expect(requested(kinds, '3.0').lost).toEqual(['asset_types']);
  });

  it('are not sent if a release has none of them', () => {
    expect(requested(['published_post'], '2.5')).toEqual({
      args: { name_search: 'banner' },
      lost: ['asset_types'],
    });
  });
});
