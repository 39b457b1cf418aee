import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { probeSeller } from './probe-seller.js';
import type {
  SellerAnswer,
  SellerTarget,
  SellerTransport,
  TransportFailure,
  TransportFailureCode,
} from './transport.js';

const failed = (code: TransportFailureCode): Result<never, TransportFailure> =>
  err({ code, message: `it is ${code}`, delivered: 'no' });
const reported = (payload: JsonObject, isError = false): Result<SellerAnswer, TransportFailure> =>
  ok({ payload, isError });

/** A seller that lists these tools and returns these capabilities, whichever name the task is called by. */
function seller(
  tools: Result<Record<string, string[]>, TransportFailure>,
  capabilities: Result<SellerAnswer, TransportFailure> = failed('protocol_error'),
) {
  const called: { readonly tool: string; readonly args: JsonObject }[] = [];
  const transport: SellerTransport = {
    listTools: () => Promise.resolve(tools),
    call: (_target, { tool, args }) => {
      called.push({ tool, args });
      return Promise.resolve(capabilities);
    },
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const probe = (
    dialect: 'ads' | 'adcp',
    configured: Parameters<typeof probeSeller>[2] = 'auto',
    protocol: SellerTarget['protocol'] = 'mcp',
  ) =>
    probeSeller(
      transport,
      {
        organizationId: 'acme',
        connectionId: 'one',
        agentUrl: 'https://seller.example/mcp',
        protocol,
        dialect,
      },
      configured,
      new AbortController().signal,
    );
  return { probe, called };
}

const modern: JsonObject = {
  adcp: {
    major_versions: [3],
    supported_versions: ['3.1'],
    idempotency: { supported: true, replay_ttl_seconds: 3600 },
  },
  supported_protocols: ['media_buy'],
};

const open: JsonObject = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 3600 } },
  supported_protocols: ['media_buy'],
};

describe('the probe of a seller', () => {
  it('reads form, kinds and idempotency from the seller’s declaration', async () => {
    const tools = { get_adcp_capabilities: [], get_products: ['brief'], create_media_buy: [] };
    const { probe, called } = seller(ok(tools), reported(modern));
    expect(await probe('adcp')).toMatchObject({
      ok: true,
      value: { form: '3.1', kinds: ['sales'], tools, capabilities: { idempotency: { supported: true } } },
    });
    expect(called).toEqual([{ tool: 'get_adcp_capabilities', args: {} }]);
  });

  it.each([
    ['repeats the release that it was asked in', (args: JsonObject) => ({ ...open, ...args }), '3.1'],
    [
      'refuses to be asked in a release',
      (args: JsonObject) => ('adcp_version' in args ? undefined : open),
      '3.0',
    ],
    ['never names one', () => open, '3.0'],
  ] as const)(
    'of a seller that names 3 and no release, and %s, ends with what it speaks',
    async (_which, says, form) => {
      const called: JsonObject[] = [];
      const transport: SellerTransport = {
        listTools: () => Promise.resolve(ok({ get_adcp_capabilities: [], get_products: [] })),
        call: (_target, { args }) => {
          called.push(args);
          const payload = says(args);
          return Promise.resolve(
            payload === undefined
              ? reported({ errors: [{ code: 'INVALID_REQUEST', message: 'No.' }] }, true)
              : reported(payload),
          );
        },
        forget: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
      const target: SellerTarget = {
        organizationId: 'acme',
        connectionId: 'one',
        agentUrl: 'https://seller.example/mcp',
        protocol: 'mcp',
        dialect: 'adcp',
      };
      const probed = await probeSeller(transport, target, 'auto', new AbortController().signal);
      expect(probed).toMatchObject({ ok: true, value: { form } });
      expect(called).toEqual([{}, { adcp_version: '3.1' }]);
    },
  );

  it('prefers the admin’s configuration to the seller’s declaration', async () => {
    const { probe } = seller(ok({ get_adcp_capabilities: [], get_products: [] }), reported(modern));
    expect(await probe('adcp', '3.0')).toMatchObject({ value: { form: '3.0' } });
  });

  it.each([
    ['adcp', '2.5'],
    ['ads', 'service'],
  ] as const)(
    'accepts an %s seller without a capabilities task for %s, and assumes no idempotency',
    async (dialect, form) => {
      const { probe, called } = seller(ok({ get_products: [], get_signals: [] }));
      expect(await probe(dialect)).toMatchObject({
        value: { form, kinds: ['sales', 'signals'], capabilities: { idempotency: { supported: false } } },
      });
      expect(called).toEqual([]);
    },
  );

  it("calls the task by the other dialect's name if the seller lists only that", async () => {
    const { probe, called } = seller(ok({ get_ads_capabilities: [], get_products: [] }), reported(modern));
    expect(await probe('adcp')).toMatchObject({ ok: true });
    expect(called.map(({ tool }) => tool)).toEqual(['get_ads_capabilities']);
  });

  it('calls an A2A agent whose card does not list the task, and accepts a refusal', async () => {
    const { probe, called } = seller(ok({ get_products: [] }));
    expect(await probe('ads', 'auto', 'a2a')).toMatchObject({ value: { form: 'service', kinds: ['sales'] } });
    expect(called).toHaveLength(1);
    const telling = seller(ok({}), reported({ ...modern, supported_protocols: ['signals'] }));
    expect(await telling.probe('adcp', 'auto', 'a2a')).toMatchObject({ value: { kinds: ['signals'] } });
  });

  it('keeps an unreadable document of capabilities, and uses the tools', async () => {
    const odd = { something: 'of our own' };
    const { probe } = seller(ok({ get_ads_capabilities: [], get_signals: [] }), reported(odd));
    expect(await probe('ads')).toMatchObject({
      value: { kinds: ['signals'], capabilities: { original: odd } },
    });
  });

  it.each(['unauthorized', 'unreachable', 'blocked', 'timeout'] as const)(
    'fails with the reason when the seller is %s',
    async (code) => {
      const atOnce = await seller(failed(code)).probe('ads');
      expect(atOnce).toEqual({ ok: false, error: { code, message: `it is ${code}` } });
      const later = await seller(ok({ get_ads_capabilities: [] }), failed(code)).probe('ads');
      expect(later).toMatchObject({ ok: false, error: { code } });
    },
  );

  it('fails when a promised capabilities task is refused', async () => {
    const refusal = reported({ errors: [{ code: 'AUTH_REQUIRED', message: 'no' }] }, true);
    const { probe } = seller(ok({ get_ads_capabilities: [], get_products: [] }), refusal);
    expect(await probe('ads')).toMatchObject({ ok: false, error: { code: 'not_conformant' } });
  });

  it('fails for a seller that sells nothing', async () => {
    expect(await seller(ok({ list_creative_formats: [] })).probe('ads')).toMatchObject({
      ok: false,
      error: { code: 'sells_nothing' },
    });
  });
});
