import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import type { Dialect, Form } from './wire-profile.js';
import { sellerFormOf } from './seller-form.js';
import { readWireProfile, wireProfileOfRefusal } from './version.js';
import { versionFields } from '../message/extras.js';

const voiceOf = (taskName: string, args: JsonObject, signerDialect?: Dialect): string => {
  const result = readWireProfile({
    taskName,
    args,
    ...(signerDialect === undefined ? {} : { signerDialect }),
  });
  if (!result.ok) return result.error[0]?.code ?? '';
  return `${result.value.profile.dialect} ${result.value.profile.form} ${result.value.served ?? '-'}`;
};

describe('the version of a caller', () => {
  it('has the dialect of its signer, else of the task’s name, else of the version field, else ads', () => {
    expect(voiceOf('get_adcp_capabilities', {}, 'ads')).toBe('ads service -');
    expect(voiceOf('get_adcp_capabilities', {})).toBe('adcp 3.0 3.0');
    expect(voiceOf('get_ads_capabilities', {})).toBe('ads service -');
    expect(voiceOf('get_products', { adcp_major_version: 3 })).toBe('adcp 3.0 3.0');
    expect(voiceOf('get_products', { ads_version: '3.1' })).toBe('ads 3.1 3.1');
    expect(voiceOf('get_products', { brief: 'x' })).toBe('ads service -');
  });

  it('is 3.1 only if 3.1 is named, and the highest one below the named one', () => {
    expect(voiceOf('get_products', { adcp_version: '3.1', buying_mode: 'brief' })).toBe('adcp 3.1 3.1');
    expect(voiceOf('get_products', { adcp_version: '3.1', adcp_major_version: 3 })).toBe('adcp 3.1 3.1');
    expect(voiceOf('get_products', { adcp_version: '3.7' })).toBe('adcp 3.1 3.1');
    expect(voiceOf('get_products', { adcp_version: '3.0' })).toBe('adcp 3.0 3.0');
    expect(voiceOf('get_products', { buying_mode: 'wholesale' })).toBe('ads 3.0 3.0');
    expect(voiceOf('get_media_buys', { include_webhook_activity: true, account: { account_id: 'a' } })).toBe(
      'ads 3.0 3.0',
    );
  });

  it('is refused with the list of releases if it is not supported', () => {
    for (const args of [
      { adcp_major_version: 4 },
      { adcp_major_version: 99 },
      { adcp_version: '2.5' },
      { adcp_version: '4.0' },
      { adcp_version: '3.1-beta.1' },
      { adcp_version: 'newest' },
      { adcp_version: '3.01' },
      { adcp_version: '03.1' },
      { adcp_version: 3.1 },
      { adcp_version: '3.1', adcp_major_version: 2 },
      { adcp_version: '2.0', adcp_major_version: 3 },
      { adcp_version: '3.1', ads_version: '3.0' },
      { adcp_version: '3.1', ads_major_version: 2 },
    ]) {
      const result = readWireProfile({ taskName: 'get_products', args });
      expect(result).toMatchObject({
        ok: false,
        error: [{ code: 'VERSION_UNSUPPORTED', details: { supported_versions: ['3.0', '3.1'] } }],
      });
    }
  });

  it('is repeated in the refusal, unless it is no version at all', () => {
    const versionInError = (args: JsonObject): unknown => {
      const read = readWireProfile({ taskName: 'get_products', args });
      return read.ok ? read : read.error[0]?.details;
    };
    const offered = { supported_versions: ['3.0', '3.1'], supported_majors: [3] };
    expect(versionInError({ adcp_version: '4.0', adcp_major_version: 4 })).toEqual({
      ...offered,
      adcp_version: '4.0',
      adcp_major_version: 4,
    });
    expect(versionInError({ ads_version: '9.9' })).toEqual({ ...offered, ads_version: '9.9' });
    expect(versionInError({ adcp_version: '<b>4</b>'.repeat(50) })).toEqual(offered);
    expect(versionInError({ adcp_version: 3.1 })).toEqual(offered);
  });

  it('is refused in its own dialect', () => {
    const spoken = (args: JsonObject, taskName = 'get_products') =>
      wireProfileOfRefusal({ taskName, args }).profile;
    expect(spoken({ adcp_version: '4.0' })).toEqual({ dialect: 'adcp', form: '3.1' });
    expect(spoken({ ads_version: '4.0' })).toEqual({ dialect: 'ads', form: 'service' });
    expect(spoken({ ads_version: '4.0' }, 'get_adcp_capabilities').dialect).toBe('adcp');
  });

  it('is recognized by its shapes if it names no release', () => {
    const start = { type: 'asap' };
    const older = { buyer_ref: 'b', brand_manifest: { url: 'https://b.example' } };
    expect(voiceOf('create_media_buy', { ...older, start_time: start })).toBe('ads service -');
    expect(voiceOf('create_media_buy', { ...older, start_time: 'asap' })).toBe('ads 2.5 -');
    expect(voiceOf('create_media_buy', { brand: { brand_id: 'x' }, buyer_ref: 'b', start_time: start })).toBe(
      'ads service -',
    );
    expect(voiceOf('create_media_buy', { brand: { domain: 'b.example' }, start_time: 'asap' })).toBe(
      'ads 3.0 3.0',
    );
    // A start as an object exists in one form only, whatever the other members are.
    expect(voiceOf('create_media_buy', { brand: { domain: 'b.example' }, start_time: start })).toBe(
      'ads service -',
    );
    expect(voiceOf('get_signals', { signal_spec: 's', deliver_to: {} })).toBe('ads service -');
    expect(voiceOf('get_signals', { signal_spec: 's', destinations: [] })).toBe('ads 3.0 3.0');
    expect(voiceOf('get_signals', { signal_spec: 's', deliver_to: {} }, 'adcp')).toBe('adcp 2.5 -');
    expect(voiceOf('get_products', { brief: 'x' }, 'adcp')).toBe('adcp 3.0 3.0');
    expect(voiceOf('get_products', { brand_manifest: 'https://b.example' })).toBe('ads 2.5 -');
    expect(voiceOf('tasks/get', { task_id: 't' })).toBe('ads service -');
  });

  it('is recognized in an update of a buy by the place of its changes', () => {
    const named = { media_buy_id: 'mb_1' };
    const voice = (args: JsonObject): string => voiceOf('update_media_buy', { ...named, ...args });
    expect(voice({ updates: { status: 'paused' } })).toBe('ads service -');
    expect(voice({ updates: { status: 'paused' }, packages: [] })).toBe('ads service -');
    expect(voice({ push_notification_config: { url: 'https://b.example' } })).toBe('ads service -');
    for (const change of [
      { paused: true },
      { start_time: 'asap' },
      { end_time: '2090-02-02T00:00:00Z' },
      { packages: [{ package_id: 'acme:p', budget: 1 }] },
      { packages: [{ package_id: 'acme:p', creative_assignments: [{ creative_id: 'c' }] }] },
    ])
      expect(voice(change)).toBe('ads 2.5 -');
    expect(voiceOf('update_media_buy', { buyer_ref: 'b', paused: true })).toBe('ads 2.5 -');
    expect(voice({ paused: true, idempotency_key: 'a-key-of-the-buyer' })).toBe('ads 3.0 3.0');
  });
});

describe('the version for a seller', () => {
  it('names the release for 3.1, only the major version for 3.0, and nothing for an older one', () => {
    const fieldsIn = (form: Form, dialect: Dialect): JsonObject => versionFields({ form, dialect });
    expect(fieldsIn('3.1', 'adcp')).toEqual({ adcp_version: '3.1', adcp_major_version: 3 });
    expect(fieldsIn('3.1', 'ads')).toEqual({ ads_version: '3.1', ads_major_version: 3 });
    expect(fieldsIn('3.0', 'adcp')).toEqual({ adcp_major_version: 3 });
    for (const form of ['service', '2.5'] as const) expect(fieldsIn(form, 'ads')).toEqual({});
  });

  it('is the one that an admin configured, else the one that the seller declares', () => {
    expect(sellerFormOf(undefined, '3.1', 'ads')).toBe('3.1');
    expect(sellerFormOf(undefined, 'auto', 'adcp')).toBe('2.5');
    expect(sellerFormOf(undefined, 'auto', 'ads')).toBe('service');
    expect(sellerFormOf({}, 'auto', 'adcp')).toBe('3.0');
    expect(sellerFormOf({ request_signing: { supported: true } }, 'auto', 'ads')).toBe('service');
    expect(sellerFormOf({ adcp: { major_versions: [3] } }, 'auto', 'adcp')).toBe('3.0');
    expect(
      sellerFormOf({ ads: { major_versions: [3], supported_versions: ['3.0', '3.1'] } }, 'auto', 'ads'),
    ).toBe('3.1');
    expect(sellerFormOf({ adcp: { supported_versions: ['3.2-beta.5', '3.0'] } }, 'auto', 'adcp')).toBe('3.0');
    expect(sellerFormOf({ adcp: { major_versions: [2] } }, 'auto', 'adcp')).toBe('2.5');
    expect(sellerFormOf({ adcp_version: '3.1', adcp: { major_versions: [3] } }, 'auto', 'adcp')).toBe('3.1');
  });
});
