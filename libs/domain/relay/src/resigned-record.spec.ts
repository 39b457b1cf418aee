import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { makeOperation } from '@switchyard/testing';
import { taskError } from '@switchyard/protocol';
import { canonicalJson } from '@switchyard/values';
import { hashOfBytes } from './custody-record.js';
import { resignedRecords } from './resigned-record.js';

const hashOf = (text: string): string => hashOfBytes(Buffer.from(text, 'utf8'));

describe('a leg that was sent twice because its seller refused the first form', () => {
  const draft = makeOperation({ organizationId: '7b0e5a4c-8a40-4a4e-9a25-3f3b3a1f1c11' });
  const { operation } = draft;
  const refusal = { errors: [{ code: 'VERSION_UNSUPPORTED', message: 'Not any longer.' }] };
  const earlier = {
    id: 'the-first-sending',
    profile: draft.legs[0]!.profile,
    outbound: '{"adcp_version":"3.1"}',
    sentAt: 100,
    answeredAt: 200,
    answer: refusal,
    errors: [taskError('VERSION_UNSUPPORTED', 'Not any longer.')],
    unsigned: true as const,
  };
  const leg = {
    ...draft.legs[0]!,
    outbound: '{"adcp_version":"3.0"}',
    status: 'completed' as const,
    attempts: 1,
    sentAt: 300,
    answer: { media_buy_id: 'theirs' },
    observedAt: 400,
    refusedAttempts: [earlier],
  };
  const resigned = { leg, operation, principal: 'a buyer', sellerUrl: 'https://seller.example/mcp' };

  it('has a record of each time, with the sent bytes, the time and the answer', () => {
    const [first, second, more] = resignedRecords(resigned, 'our-key', 500);
    expect(more).toBeUndefined();
    expect(first).toMatchObject({
      id: 'the-first-sending',
      code: 'VERSION_UNSUPPORTED',
      outcome: 'answered',
      forwarded: { at: 100, bodyHash: hashOf(earlier.outbound), headersAdded: [] },
      answer: { at: 200, bodyHash: hashOf(canonicalJson(refusal)) },
    });
    expect(second).toMatchObject({
      id: leg.id,
      outcome: 'answered',
      forwarded: { at: 300, bodyHash: hashOf(leg.outbound), ourKeyid: 'our-key' },
      answer: { at: 400, bodyHash: hashOf(canonicalJson(leg.answer)) },
    });
    expect(second).not.toHaveProperty('code');
  });

  it('has one record if it was sent once', () => {
    const { refusedAttempts: _none, ...once } = leg;
    expect(resignedRecords({ ...resigned, leg: once }, undefined, 500).map(({ id }) => id)).toEqual([leg.id]);
  });
});
