import { describe, expect, it } from '@jest/globals';
import { createMediaBuy } from '@switchyard/protocol';
import { withOurs } from './extend-answer.js';
import { writeAnswer } from './write-answer.js';

const findings = (...fields: string[]) =>
  fields.map((field) => ({ code: 'NOT_CARRIED', message: 'x', field }));

describe('our additions to an answer', () => {
  it('are joined with existing findings, each once, and remove no other member', () => {
    const before = { a: 1, ext: { other: 2, switchyard: { rows: [1], findings: findings('a') } } };
    expect(withOurs(before, { findings: findings('a', 'b') }, { dialect: 'adcp', form: '3.1' })).toEqual({
      a: 1,
      ext: { other: 2, switchyard: { rows: [1], findings: findings('a', 'b') } },
    });
    expect(
      withOurs(
        { a: 1, findings: findings('a') },
        { findings: findings('b') },
        { dialect: 'ads', form: 'service' },
      ),
    ).toEqual({ a: 1, findings: findings('a', 'b') });
  });

  it('report on a buy what its form has no member for', () => {
    const buy = {
      mediaBuyId: 'b',
      status: 'active' as const,
      confirmedAt: null,
      packages: [],
      original: { form: 'ours' as const, value: {} },
    };
    expect(writeAnswer(createMediaBuy, buy, { dialect: 'ads', form: 'service' })).toMatchObject({
      findings: [{ code: 'NOT_CARRIED', field: 'confirmed_at' }],
    });
    expect(writeAnswer(createMediaBuy, buy, { dialect: 'adcp', form: '2.5' })).toMatchObject({
      ext: { switchyard: { findings: [{ field: 'confirmed_at' }, { field: 'status' }] } },
    });
  });
});
