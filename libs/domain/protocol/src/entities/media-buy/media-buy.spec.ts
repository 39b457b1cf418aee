import { describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { revisionAt } from '../../message/pick.js';
import { buyStatusMembers, projectCreatedPackage, readCreatedPackage } from './media-buy.js';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];

describe('a package that was made', () => {
  const read = must(
    readCreatedPackage(
      { package_id: 'p', buyer_ref: 'line', context: { trace: 1 } },
      'service',
      '/packages/0',
      new Map(),
    ),
  );
  const shown = (to: Form) => projectCreatedPackage({ ...read, original: { form: 'ours', value: {} } }, to);

  it('has its id and its context in every form, and its reference in those with a member for it', () => {
    for (const form of forms) expect(shown(form)).toMatchObject({ package_id: 'p', context: { trace: 1 } });
    expect(forms.map((form) => shown(form)['buyer_ref'])).toEqual(['line', 'line', undefined, undefined]);
  });
});

describe('the state of a buy', () => {
  it('has a revision of 32 bits: a seller’s larger number is ignored', () => {
    const read = [0, 2 ** 31 - 1, 2 ** 31, 1e13, -1, 1.5, '3'].map((revision) => revisionAt({ revision }));
    expect(read).toEqual([0, 2 ** 31 - 1, undefined, undefined, undefined, undefined, undefined]);
  });

  it('has its own member from 3.1 on, and none in 2.5', () => {
    const of = { status: 'active' } as Parameters<typeof buyStatusMembers>[0];
    expect(forms.map((form) => buyStatusMembers(of, form))).toEqual([
      { status: 'active' },
      {},
      { status: 'active' },
      { media_buy_status: 'active' },
    ]);
  });
});
