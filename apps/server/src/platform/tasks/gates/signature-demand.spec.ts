import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, getProducts, type Form } from '@switchyard/protocol';
import { signatureError } from './signature-demand.js';
import type { Caller, PrincipalCaller } from '../call/task-call.js';

const principal: PrincipalCaller = {
  kind: 'principal',
  organizationId: 'o',
  principalId: 'p',
  name: 'buyer',
  principalKind: 'buyer',
  permissions: {},
  transitional: false,
  legacy: false,
};
const signedBy = { keyid: 'k', agentUrl: 'https://buyer.example/', dialect: 'ads' } as const;
const nobody: Caller = { kind: 'public', organizationId: 'o' };
const speaking = (form: Form) => ({ profile: { dialect: 'ads' as const, form } });
const legacyBlock = { push_notification_config: { authentication: { scheme: 'x' } } };

describe('a signature is required', () => {
  it.each<[string, Caller, Form, object, boolean]>([
    ['where somebody changes something in 3.1', principal, '3.1', {}, true],
    ['where nobody in particular does', nobody, '3.1', {}, true],
    ['not where it is there', { ...principal, signedBy }, '3.1', legacyBlock, false],
    ['not of a principal that is on its way', { ...principal, transitional: true }, '3.1', {}, false],
    ['not in 3.0', principal, '3.0', {}, false],
    ['not in the service form', principal, 'service', {}, false],
    ['where a webhook secret is handed out, in any form', principal, '3.0', legacyBlock, true],
    ['where one is among the updates of a buy', principal, '3.0', { updates: legacyBlock }, true],
    ['also of a principal on its way', { ...principal, transitional: true }, '3.0', legacyBlock, true],
    ['not of one that is legacy', { ...principal, legacy: true }, '3.0', legacyBlock, false],
  ])('%s', (_what, caller, form, args, missing) => {
    const error = signatureError(caller, createMediaBuy, speaking(form), args as never);
    expect(error?.code.toLowerCase()).toBe(missing ? 'request_signature_required' : undefined);
  });

  it('for no task that only reads', () => {
    expect(signatureError(principal, getProducts, speaking('3.1'), {})).toBeUndefined();
  });
});
