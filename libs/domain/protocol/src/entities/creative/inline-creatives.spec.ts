import { describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../../tasks/create-media-buy.js';
import { updateMediaBuy } from '../../tasks/update-media-buy.js';
import type { Form } from '../../versions/wire-profile.js';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const profile = (form: Form) => ({ dialect: 'adcp' as const, form });
const format = { agent_url: 'https://formats.example', id: 'banner' };
const image = { url: 'https://cdn.example/a.png', width: 300, height: 250 };
const plain: JsonObject = { creative_id: 'c1', format_id: format, assets: { main: image } };
const kind: JsonObject = {
  creative_id: 'c2',
  name: 'By kind',
  format_kind: 'image',
  assets: { main: { ...image, asset_type: 'image' } },
};
const account = { account_id: 'a' };
const key = 'the-key-of-this-request';

function creatives(form: Form): readonly JsonObject[] {
  if (form === 'service') return [plain];
  const named = { ...plain, name: 'One', tags: ['spring'] };
  if (form === '2.5') return [{ ...named, approved: true }];
  const modern = { ...named, assets: { main: { ...image, asset_type: 'image' } }, status: 'approved' };
  return form === '3.0' ? [modern] : [modern, kind];
}

/** A request to create or update a buy, with creatives in a package, in any form. */
function requested(form: Form, change: boolean): JsonObject {
  const line = { buyer_ref: 'l1', product_id: 'p1', pricing_option_id: 'o1', budget: 100 };
  const isOlder = form === 'service' || form === '2.5';
  const creating = { ...(isOlder ? line : { ...line, buyer_ref: undefined }), creatives: creatives(form) };
  const packages = change ? [{ package_id: 'k1', creatives: creatives(form) }] : [creating];
  const common = isOlder
    ? { buyer_ref: 'b1', brand_manifest: 'https://brand.example' }
    : { idempotency_key: key, account, brand: { domain: 'brand.example' } };
  const times = {
    start_time: form === 'service' ? { type: 'asap' } : 'asap',
    end_time: '2027-01-01T00:00:00Z',
  };
  const body = change
    ? { ...(isOlder ? {} : { idempotency_key: key, account }), media_buy_id: 'm1', packages }
    : { ...common, ...times, packages };
  const wrapped = change && form === 'service' ? { media_buy_id: 'm1', updates: { packages } } : body;
  return JSON.parse(JSON.stringify(wrapped)) as JsonObject;
}

function sent(from: Form, to: Form, change: boolean) {
  const task = change ? updateMediaBuy : createMediaBuy;
  const read = task.readRequest(requested(from, change), profile(from), new Map());
  const request = { ...must<object>(read), idempotencyKey: key } as never;
  const { args, findings } = task.projectRequest(request, profile(to));
  const updates = isJsonObject(args['updates']) ? args['updates'] : args;
  const [first] = updates['packages'] as JsonObject[];
  return { creatives: (first?.['creatives'] ?? []) as JsonObject[], findings };
}

const passages = [false, true].flatMap((change) =>
  forms.flatMap((from) => forms.map((to) => [change ? 'a change' : 'a buy', from, to, change] as const)),
);

describe('creatives that come with a package', () => {
  it.each(passages)(
    'of %s from %s to %s: each is in the form of its seller, or a finding',
    (_what, from, to, change) => {
      const { creatives: said, findings } = sent(from, to, change);
      const codes = findings.map(({ code, field }) => `${code} ${field ?? ''}`);
      const isModern = to === '3.0' || to === '3.1';
      const inSeveral = to !== 'service';
      expect(said.map((one) => one['creative_id'])).toEqual(
        from === '3.1' && to === '3.1' ? ['c1', 'c2'] : ['c1'],
      );
      const [first] = said;
      if (from !== to) {
        expect(first?.['name']).toBe(inSeveral ? (from === 'service' ? 'c1' : 'One') : undefined);
        if (isModern) expect(first?.['assets']).toEqual({ main: { ...image, asset_type: 'image' } });
      }
      expect(codes.includes('CREATIVE_LEFT_OUT packages[0].creatives[c2].format_kind')).toBe(
        from === '3.1' && to !== '3.1',
      );
      expect(codes.includes('CREATIVE_NAME_MADE packages[0].creatives[c1].name')).toBe(
        from === 'service' && inSeveral,
      );
      expect(codes.includes('CREATIVE_MEMBER_LEFT_OUT packages[0].creatives[c1].tags')).toBe(
        from !== 'service' && to === 'service',
      );
      const verdict =
        from === 'service' ? undefined : to === '2.5' ? true : isModern ? 'approved' : undefined;
      expect(first?.[to === '2.5' ? 'approved' : 'status']).toBe(verdict);
    },
  );
});

describe('weights of creatives that a package names by id', () => {
  it.each(forms)('are sent to %s, or are a finding', (to) => {
    const [line] = requested('3.1', false)['packages'] as JsonObject[];
    const named = { ...line, creatives: [], creative_assignments: [{ creative_id: 'c1', weight: 70 }] };
    const read = must(
      createMediaBuy.readRequest(
        { ...requested('3.1', false), packages: [named] },
        profile('3.1'),
        new Map(),
      ),
    );
    const { args, findings } = createMediaBuy.projectRequest(read, profile(to));
    expect(JSON.stringify(args)).toContain('c1');
    expect(JSON.stringify(args).includes('70')).toBe(to === '3.0' || to === '3.1');
    expect(findings.some(({ code }) => code === 'ASSIGNMENT_DETAIL_LEFT_OUT')).toBe(
      to === 'service' || to === '2.5',
    );
  });
});
