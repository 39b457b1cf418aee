import { describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import { readSealedCall } from './read-sealed-call.js';
import { scanSealed } from './scan-sealed.js';

function scanOf(protocol: 'mcp' | 'a2a', body: JsonObject) {
  const call = must(readSealedCall(protocol, body));
  return scanSealed(body, call);
}

const tool = (args: JsonValue, rest: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'create_media_buy', arguments: args, ...rest },
});

const skill = (parameters: JsonObject, configuration: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { parts: [{ data: { skill: 'create_media_buy', parameters } }] }, configuration },
});

describe('scanSealed', () => {
  it('finds a credential at any depth of the arguments', () => {
    expect(scanOf('mcp', tool({ ext: [{ a: { Authorization: 'x' } }] }))).toBe('ext[0].a.Authorization');
  });

  it('finds one around the arguments as well', () => {
    expect(scanOf('mcp', tool({}, { _meta: { api_key: 'x' } }))).toBe('params._meta.api_key');
    expect(scanOf('a2a', skill({}, { client_secret: 'x' }))).toBe('params.configuration.client_secret');
  });

  it('allows the callback credentials that the protocol has a member for', () => {
    const callback = { url: 'https://a.example', authentication: { schemes: ['Bearer'], credentials: 'x' } };
    expect(scanOf('mcp', tool({ push_notification_config: callback }))).toBeUndefined();
    expect(scanOf('a2a', skill({}, { pushNotificationConfig: callback }))).toBeUndefined();
  });

  it('allows none in other places', () => {
    const body = tool({}, { push_notification_config: { authentication: { credentials: 'x' } } });
    expect(scanOf('mcp', body)).toBe('params.push_notification_config.authentication.credentials');
    expect(isJsonObject(body)).toBe(true);
  });
});
