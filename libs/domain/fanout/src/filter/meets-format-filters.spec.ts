import { describe, expect, it } from '@jest/globals';
import { listCreativeFormats, type CreativeFormat } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { mergeFormats } from '../merge.js';

const id = { agent_url: 'https://f.example', id: 'x' };
const render = (...dimensions: JsonObject[]): JsonObject => ({
  renders: dimensions.map((dimension) => ({ role: 'primary', dimensions: dimension })),
});
const assets = (...types: string[]): JsonObject => ({
  assets: types.map((type) => ({ item_type: 'individual', asset_type: type })),
});

function format(reported: JsonObject): CreativeFormat {
  const formats = [{ format_id: id, name: 'Large Banner', ...reported }];
  const read = listCreativeFormats.readAnswer({ formats }, { dialect: 'adcp', form: '3.1' });
  const [only] = read.ok ? read.value.answer.formats : [];
  if (only === undefined) throw new Error('The format of a test cannot be read.');
  return only;
}

function outcomeOf(reported: JsonObject, requested: JsonObject) {
  const request = must(
    listCreativeFormats.readRequest(requested, { dialect: 'adcp', form: '3.1' }, new Map()),
  );
  return mergeFormats([{ seller: 'a', items: [format(reported)] }], request);
}

const isKept = (reported: JsonObject, requested: JsonObject): boolean =>
  outcomeOf(reported, requested).items.length === 1;

describe('a format that does not meet the filters', () => {
  const sizes = render({ width: 300, height: 250 }, { width: 728, height: 90 });
  const positions = (...named: string[]): JsonObject => ({
    disclosure_capabilities: named.map((position) => ({ position, persistence: ['continuous'] })),
  });
  const other = { agent_url: 'https://F.example/', id: 'y' };

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['least width', { min_width: 728 }, sizes, render({ width: 727, height: 90 })],
    ['greatest width', { max_width: 300 }, sizes, render({ width: 301, height: 250 })],
    ['least height', { min_height: 250 }, sizes, render({ width: 728, height: 249 })],
    ['greatest height', { max_height: 90 }, sizes, render({ width: 300, height: 91 })],
    ['assets, all of them', { asset_types: ['image', 'text'] }, assets('image', 'text'), assets('image')],
    [
      'assets in groups',
      { asset_types: ['video'] },
      { assets: [{ item_type: 'repeatable_group', assets: [{ asset_type: 'video' }] }] },
      { assets_required: [{ asset_type: 'image' }] },
    ],
    [
      'responsive',
      { is_responsive: true },
      render({ min_width: 300, max_width: 970, height: 250 }),
      render({ width: 300, height: 250 }),
    ],
    [
      'not responsive',
      { is_responsive: false },
      render({ width: 300, height: 250 }),
      render({ width: 300, height: 250, responsive: { width: true, height: false } }),
    ],
    [
      'accessibility',
      { wcag_level: 'AA' },
      { accessibility: { wcag_level: 'AAA' } },
      { accessibility: { wcag_level: 'A' } },
    ],
    [
      'disclosures',
      { disclosure_positions: ['footer'] },
      positions('footer', 'prominent'),
      positions('prominent'),
    ],
    [
      'disclosures in the older list',
      { disclosure_positions: ['footer'] },
      { supported_disclosure_positions: ['footer'] },
      { supported_disclosure_positions: ['overlay'] },
    ],
    [
      'persistence of disclosures',
      { disclosure_persistence: ['continuous'] },
      positions('footer'),
      { disclosure_capabilities: [{ position: 'footer', persistence: ['initial'] }] },
    ],
    ['output', { output_format_ids: [id] }, { output_format_ids: [id] }, { output_format_ids: [other] }],
    [
      'input',
      { input_format_ids: [other] },
      { input_format_ids: [{ ...id, id: 'y' }] },
      { input_format_ids: [id] },
    ],
  ])('is left out by its %s, and one that says nothing of it stays', (_what, requested, fitting, not) => {
    expect(isKept(fitting, requested)).toBe(true);
    expect(isKept({}, requested)).toBe(true);
    expect(isKept(not, requested)).toBe(false);
  });

  it('is counted for its seller', () => {
    expect(outcomeOf(assets('image'), { asset_types: ['video'] })).toEqual({
      items: [],
      filteredOut: { a: 1 },
    });
  });

  it('is found by part of its name, in upper or lower case', () => {
    expect(isKept({}, { name_search: 'BANNER' })).toBe(true);
    expect(isKept({}, { name_search: 'video' })).toBe(false);
  });

  it('has the size in its id before that of a render', () => {
    const sized = { ...sizes, format_id: { ...id, width: 160, height: 600 } };
    expect(isKept(sized, { max_width: 160 })).toBe(true);
    expect(isKept(sized, { min_width: 161 })).toBe(false);
  });

  it('of print has no size in pixels', () => {
    expect(isKept(render({ width: 8, height: 11, unit: 'inches' }), { min_width: 100 })).toBe(true);
  });

  it('has the type of its standard id; a universal format has any type', () => {
    const standard = { agent_url: 'https://creative.adcontextprotocol.org', id: 'video_skippable_15s' };
    expect(isKept({ format_id: standard }, { format_types: ['video'] })).toBe(true);
    expect(isKept({ format_id: standard }, { format_types: ['audio'] })).toBe(false);
    expect(isKept({ type: 'universal' }, { format_types: ['audio'] })).toBe(true);
  });
});
