import { describe, expect, it } from '@jest/globals';
import {
  cancelTask,
  createMediaBuy,
  getCapabilities,
  getProducts,
  getTask,
  type Capabilities,
} from '@switchyard/protocol';
import { must, ok } from '@switchyard/values';
import { callSignerFor, signatureRequirement, type PrincipalSigner } from './call-signer.js';

function declaring(requestSigning: object) {
  const read = must(
    getCapabilities.readAnswer({ request_signing: requestSigning } as never, {
      dialect: 'adcp',
      form: '3.1',
    }),
  );
  const capabilities: Capabilities = read.answer;
  return { dialect: 'adcp' as const, capabilities };
}

describe('a seller requests our signature', () => {
  it.each([
    [
      'where it requires one for the task',
      { supported: true, required_for: ['create_media_buy'] },
      'required',
    ],
    ['where it requires one for everything', { supported: true, required: true }, 'required'],
    [
      'where it verifies one for the task',
      { supported: true, supported_for: ['create_media_buy'] },
      'supported',
    ],
    ['where it only watches', { supported: true, warn_for: ['create_media_buy'] }, 'supported'],
    ['not for another task', { supported: true, required_for: ['get_products'] }, 'no'],
    ['not where it ignores signatures', { supported: false, required_for: ['create_media_buy'] }, 'no'],
    ['not where it says nothing', {}, 'no'],
  ])('%s', (_what, signing, options) => {
    expect(signatureRequirement(declaring(signing), createMediaBuy)).toBe(options);
  });

  it('by any name of the task', () => {
    const listed = declaring({ supported: true, required_for: ['get_adcp_capabilities'] });
    expect(signatureRequirement(listed, getCapabilities)).toBe('required');
    expect(signatureRequirement({}, getProducts)).toBe('no');
  });

  it.each([
    ['required', { protocol_methods_required_for: ['tasks/cancel'] }, cancelTask, 'mcp', 'required'],
    ['verified', { protocol_methods_supported_for: ['tasks/get'] }, getTask, 'a2a', 'supported'],
    ['watched', { protocol_methods_warn_for: ['tasks/get'] }, getTask, 'a2a', 'supported'],
    ['another one', { protocol_methods_required_for: ['tasks/cancel'] }, getTask, 'a2a', 'no'],
    [
      'the one that carries every task',
      { protocol_methods_required_for: ['message/send'] },
      getProducts,
      'a2a',
      'required',
    ],
    [
      'that of another transport',
      { protocol_methods_required_for: ['message/send'] },
      getProducts,
      'mcp',
      'no',
    ],
    ['tools/call', { protocol_methods_required_for: ['tools/call'] }, getProducts, 'mcp', 'required'],
  ] as const)('by the method of the protocol: %s', (_what, signing, task, protocol, options) => {
    const seller = { ...declaring({ supported: true, ...signing }), protocol };
    expect(signatureRequirement(seller, task)).toBe(options);
  });

  it('in the tag of its dialect, and without the digest if it forbids that', async () => {
    const requested: unknown[] = [];
    const signer: PrincipalSigner = {
      principalId: 'p',
      sign: (_message, terms) => {
        requested.push(terms);
        return Promise.resolve(ok({ 'Signature-Input': '', Signature: '' }));
      },
    };
    const message = { method: 'POST', url: 'https://s.example/', headers: {}, body: Buffer.alloc(0) };
    const wants = { supported: true, required_for: ['create_media_buy'] };
    for (const more of [{}, { covers_content_digest: 'forbidden' }]) {
      await callSignerFor(declaring({ ...wants, ...more }), createMediaBuy, signer)?.sign(message);
    }
    expect(requested).toEqual([
      { tag: 'adcp/request-signing/v1', coversDigest: true },
      { tag: 'adcp/request-signing/v1', coversDigest: false },
    ]);
    expect(callSignerFor(declaring(wants), getProducts, signer)).toBeUndefined();
    expect(callSignerFor(declaring(wants), createMediaBuy, undefined)).toBeUndefined();
  });
});
