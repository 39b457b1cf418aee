import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import {
  batchText,
  judgeContent,
  pulledBatch,
  readContentBatch,
  readVerdicts,
  recordsOf,
} from './delivered-content.js';

const artifact = (id: string, assets: readonly JsonObject[] = []): JsonObject => ({
  property_rid: 'news',
  artifact_id: id,
  assets: [...assets],
});
const pushed = (...artifacts: readonly JsonObject[]): JsonObject => ({
  media_buy_id: 'mb_1',
  batch_id: 'b1',
  artifacts: artifacts.map((one) => ({
    artifact: one,
    delivered_at: '2026-11-29T10:00:00Z',
    package_id: 'p1',
  })),
});

describe('content that a seller pushed', () => {
  it('is read without what opens its assets, and what cannot be checked is counted', () => {
    const text = { type: 'text', content: 'News.' };
    const image = { type: 'image', url: 'https://cdn.example/a.png' };
    const closed = { ...image, access: { method: 'bearer_token', token: 'k3y' } };
    const signed = { ...image, url: 'https://cdn.example/b.png?sig=k3y', access: { method: 'signed_url' } };
    const body = pushed(artifact('a', [text, closed, signed]), { artifact_id: 'no property' });
    expect(readContentBatch(body)).toEqual({
      ...{ mediaBuyId: 'mb_1', batchId: 'b1', pushed: 2 },
      contents: [
        { artifact: artifact('a', [text, image]), deliveredAt: '2026-11-29T10:00:00Z', packageId: 'p1' },
      ],
    });
    expect(JSON.stringify(readContentBatch(body))).not.toContain('k3y');
  });

  it.each<[string, JsonObject]>([
    ['no buy', { artifacts: [] }],
    ['a buy that is no text', { media_buy_id: 7, artifacts: [] }],
    ['no list', { media_buy_id: 'mb_1' }],
  ])('with %s is none', (_what, body) => {
    expect(readContentBatch(body)).toBeUndefined();
  });

  it('is sent as records with ids of their own over all questions', () => {
    const { contents } = readContentBatch(pushed(artifact('a'), artifact('a')))!;
    expect(recordsOf(contents, 'ours', 100)).toEqual(
      ['r100', 'r101'].map((id) => ({
        ...{ record_id: id, media_buy_id: 'ours', timestamp: '2026-11-29T10:00:00Z' },
        artifact: artifact('a'),
      })),
    );
  });
});

describe('verdicts', () => {
  const summary = (total: number, failed: number): JsonObject => ({
    summary: { total_records: total, passed_records: total - failed, failed_records: failed },
  });
  const fail = (id: string, ...policies: readonly (string | undefined)[]): JsonObject => ({
    record_id: id,
    verdict: 'fail',
    features: policies.map((policy) => ({
      ...{ feature_id: 'f', status: 'failed', explanation: 'Too loud.' },
      ...(policy !== undefined && { policy_id: policy }),
    })),
  });
  const entries = ['calm (must, 0123456789ab)', 'quiet (may, 0123456789ab)'];
  const contents = readContentBatch(
    pushed(...Array.from({ length: 20 }, (_, at) => artifact(`a${String(at)}`))),
  )!.contents;
  const judged = (
    results: readonly JsonObject[],
    of: readonly string[] = entries,
    failed = results.length,
  ) => {
    const read = readVerdicts({ ...summary(20, failed), results: [...results] }, 20, 0);
    if (!read.ok) throw new Error(read.error);
    const { binding, why, packageIds } = judgeContent(contents, read.value, of);
    return [binding, why !== undefined, packageIds];
  };

  it.each<[string, JsonObject]>([
    ['errors', { errors: [{ code: 'X', message: 'No.' }] }],
    ['no results', summary(2, 0)],
    ['another number of records', { ...summary(3, 0), results: [] }],
    ['more failures than records', { ...summary(2, 3), results: [] }],
  ])('with %s are none', (_what, payload) => {
    expect(readVerdicts(payload, 2, 0).ok).toBe(false);
  });

  it('about other records, and repeated ones, are not counted', () => {
    const results = [
      fail('r0', 'calm'),
      fail('r0', 'calm'),
      fail('r2', 'calm'),
      { record_id: 'r1', verdict: 'pass' },
    ];
    const read = readVerdicts({ result: { ...summary(2, 1), results } }, 2, 0);
    expect(read).toEqual({
      ok: true,
      value: { failed: 1, failures: [{ at: 0, policies: ['calm'], explanation: 'Too loud.' }] },
    });
  });

  it.each<[string, readonly JsonObject[], readonly string[], unknown]>([
    ['nothing', [], entries, [0, false, []]],
    ['a policy that binds', [fail('r3', 'calm')], entries, [1, true, ['p1']]],
    ['a policy that is not known', [fail('r3', 'new')], entries, [1, true, ['p1']]],
    ['a policy that advises', [fail('r3', 'quiet')], entries, [0, false, ['p1']]],
    ['a policy that is not named, of several sorts', [fail('r3', undefined)], entries, [0, false, ['p1']]],
    ['a policy that is not named, where all bind', [fail('r3')], entries.slice(0, 1), [1, true, ['p1']]],
    [
      'a policy that advises, above a tenth',
      [fail('r3', 'quiet'), fail('r4', 'quiet'), fail('r5', 'quiet')],
      entries,
      [0, true, ['p1']],
    ],
  ])('against %s ask, or do not', (_what, results, of, expected) => {
    expect(judged(results, of)).toEqual(expected);
  });

  it('that are only counted are about every package', () => {
    expect(judged([], entries, 3)).toEqual([0, true, undefined]);
  });
});

describe('content that a seller was asked for', () => {
  const payload: JsonObject = {
    media_buy_id: 'their-1',
    artifacts: [
      {
        record_id: 'r',
        timestamp: '2026-11-21T11:00:00Z',
        package_id: 'p1',
        artifact: {
          property_rid: 'news',
          artifact_id: 'a',
          assets: [{ type: 'image', url: 'https://x.example/a', access: { token: 'k3y' } }],
        },
      },
      'no record',
    ],
    collection_info: { total_collected: 40 },
  };

  it('is a batch like a pushed one, alone and in an envelope, and is kept without what opens it', () => {
    for (const one of [payload, { status: 'completed', result: payload }]) {
      const batch = pulledBatch(one, 'their-1');
      expect(batch).toMatchObject({
        pushed: 40,
        contents: [{ packageId: 'p1', deliveredAt: '2026-11-21T11:00:00Z' }],
      });
      const text = batch === undefined ? '' : batchText(batch);
      expect(text).not.toContain('k3y');
      expect(readContentBatch(JSON.parse(text) as JsonObject)?.contents).toEqual(batch?.contents);
    }
  });

  it('of another buy, or no content at all, is none', () => {
    expect(pulledBatch(payload, 'their-2')).toBeUndefined();
    expect(pulledBatch({ media_buy_id: 'their-1' }, 'their-1')).toBeUndefined();
    expect(pulledBatch({}, '')).toBeUndefined();
  });
});
