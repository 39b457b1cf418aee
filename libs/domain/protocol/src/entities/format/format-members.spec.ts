import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { fittedFormat, isAgentAbility } from './format-members.js';

const image = { asset_id: 'main', asset_type: 'image' };
const individual = { item_type: 'individual', required: false, ...image };
const group = {
  item_type: 'repeatable_group',
  asset_group_id: 'slide',
  required: false,
  min_count: 1,
  max_count: 3,
  assets: [{ ...image, required: true }],
};
const members = (value: JsonObject, from: '2.5' | '3.0' | '3.1' | 'service', to: '2.5' | '3.0' | '3.1') =>
  fittedFormat(value, from, to).members;

describe('a format of another form', () => {
  it('lists its assets under the member of the release', () => {
    const required = { item_type: 'individual', ...image };
    const slides = { ...group, assets: [image] };
    expect(members({ assets_required: [required, slides] }, '2.5', '3.0')).toEqual({
      assets: [{ ...individual, required: true }, group],
    });
    expect(members({ assets: [individual, group] }, '3.1', '2.5')).toEqual({
      assets_required: [individual, group],
    });
  });

  it('leaves out and reports free requirements in releases that define them', () => {
    const requested = { item_type: 'individual', ...image, requirements: { formats: ['bmp'] } };
    const { members: written, lost } = fittedFormat({ assets_required: [requested] }, '2.5', '3.1');
    expect(written).toEqual({ assets: [{ ...individual, required: true }] });
    expect(lost).toEqual(['assets_required[].requirements']);
    const typed = { ...individual, requirements: { formats: ['png'] } };
    expect(members({ assets: [typed] }, '3.0', '2.5')).toEqual({ assets_required: [typed] });
  });

  it('requires no asset of a kind that the release does not have, and reports it', () => {
    const zip = { ...individual, asset_id: 'bundle', asset_type: 'zip' };
    const bundles = { ...group, assets: [...group.assets, { ...image, asset_type: 'zip', required: true }] };
    expect(fittedFormat({ assets: [zip, individual, bundles] }, '3.1', '3.0')).toEqual({
      members: { assets: [individual, group] },
      lost: ['assets[].assets', 'assets'],
    });
    expect(fittedFormat({ assets: [zip] }, '3.1', '3.0')).toEqual({ members: {}, lost: ['assets'] });
    const offer = { ...individual, asset_type: 'promoted_offerings' };
    expect(members({ assets_required: [offer, 'x', { item_type: 'individual' }] }, '2.5', '3.1')).toEqual({});
  });

  it('repeats in 2.5 only what is repeated once or more', () => {
    const { lost } = fittedFormat({ assets: [{ ...group, min_count: 0 }] }, '3.0', '2.5');
    expect(lost).toEqual(['assets']);
  });

  it('accepts in 3.0 the feeds and offerings that it has values for', () => {
    const catalog = (requirements: JsonObject) => ({
      assets: [{ ...individual, asset_type: 'catalog', requirements }],
    });
    const both = {
      catalog_type: 'product',
      feed_formats: ['shopify', 'tiktok_shop'],
      offering_asset_constraints: [
        { asset_group_id: 'a', asset_type: 'published_post' },
        { asset_group_id: 'b', asset_type: 'text' },
      ],
    };
    expect(fittedFormat(catalog(both), '3.1', '3.0')).toEqual({
      members: catalog({
        catalog_type: 'product',
        feed_formats: ['shopify'],
        offering_asset_constraints: [{ asset_group_id: 'b', asset_type: 'text' }],
      }),
      lost: ['assets[].requirements.feed_formats', 'assets[].requirements.offering_asset_constraints'],
    });
    const none = { catalog_type: 'product', feed_formats: ['tiktok_shop'] };
    expect(members(catalog(none), '3.1', '3.0')).toEqual(catalog({ catalog_type: 'product' }));
  });

  it('is rendered in 2.5 only in whole pixels', () => {
    const whole = { role: 'primary', dimensions: { width: 300, height: 250, aspect_ratio: '6:5' } };
    const byFormat = { role: 'other', parameters_from_format_id: true };
    const print = { role: 'page', dimensions: { width: 8.5, height: 11, unit: 'inches' } };
    const wide = { role: 'wide', dimensions: { aspect_ratio: '1.91:1' } };
    const nothing = { role: 'nothing' };
    const value = { renders: [whole, byFormat, print, wide, nothing] };
    expect(fittedFormat(value, '3.1', '2.5')).toEqual({
      members: { renders: [whole, byFormat] },
      lost: ['renders'],
    });
    expect(members(value, 'service', '3.1')).toEqual({ renders: [whole, byFormat, print, wide] });
  });

  it('names metrics as the release does', () => {
    const metrics = (...names: string[]) => ({ reported_metrics: names });
    expect(members(metrics('spend', 'video_completions'), '3.0', '3.1')).toEqual(
      metrics('spend', 'completed_views'),
    );
    expect(members(metrics('completed_views', 'brand_lift'), '3.1', '3.0')).toEqual(
      metrics('completed_views'),
    );
    expect(members(metrics('brand_lift'), '3.1', '3.0')).toEqual({});
  });

  it('has in 3.0 none of the macros that its schema uses for two meanings', () => {
    const value = { supported_macros: ['MEDIA_BUY_ID', 'our_own'] };
    expect(members(value, '3.1', '3.0')).toEqual({ supported_macros: ['our_own'] });
    expect(members(value, '3.1', '2.5')).toEqual(value);
    expect(members(value, '3.0', '3.1')).toEqual(value);
  });

  it('keeps other members that the release accepts, and is complete between the releases 3.x', () => {
    const card = { format_id: { agent_url: 'https://a.example', id: 'c' }, manifest: {} };
    const right = {
      description: 'A banner',
      accepts_parameters: ['duration'],
      delivery: { way: 'tag' },
      output_format_ids: [card.format_id],
      format_card: card,
      ext: { theirs: 1 },
    };
    const wrong = { accepts_parameters: ['mood'], delivery: 'x', output_format_ids: ['x'], format_card: {} };
    expect(members(right, '2.5', '3.1')).toEqual(right);
    expect(members(wrong, 'service', '3.1')).toEqual({});
    const kind = { canonical: { kind: 'image' }, accessibility: { wcag_level: 'AA' }, theirs: true };
    expect(members(kind, '3.1', '3.0')).toEqual({ accessibility: { wcag_level: 'AA' }, theirs: true });
    expect(members(kind, '3.0', '3.1')).toEqual(kind);
  });
});

describe('the capabilities of a creative agent', () => {
  it('are delivery from 3.0 on, and unchanged in the service description', () => {
    const known = (['2.5', '3.0', '3.1', 'service'] as const).map((to) => [
      isAgentAbility('delivery', to),
      isAgentAbility('weaving', to),
    ]);
    expect(known).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });
});
