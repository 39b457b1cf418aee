import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@switchyard/values';
import { readSealedCall } from './read-sealed-call.js';

const tool = (name: string, args: JsonValue): JsonValue => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
});
const skill = (...parts: JsonValue[]): JsonValue => ({
  jsonrpc: '2.0',
  id: 'a',
  method: 'message/send',
  params: { message: { role: 'user', messageId: 'm', parts } },
});

const codeOf = (protocol: 'mcp' | 'a2a', body: JsonValue) => {
  const read = readSealedCall(protocol, body);
  return read.ok ? read.value.spec.name : read.error;
};

describe('readSealedCall', () => {
  it('finds the task by its name in either dialect, with the place of its arguments', () => {
    const read = readSealedCall('mcp', tool('create_media_buy', { packages: [] }));
    expect(read).toMatchObject({
      ok: true,
      value: { rpcId: 7, taskName: 'create_media_buy', argsPointer: '/params/arguments' },
    });
    expect(codeOf('mcp', tool('get_adcp_capabilities', {}))).toBe(
      codeOf('mcp', tool('get_ads_capabilities', {})),
    );
  });

  it('reads the one data part of an A2A message that names a skill, under either member', () => {
    const read = readSealedCall(
      'a2a',
      skill(
        { kind: 'text', text: 'please' },
        { kind: 'data', data: { skill: 'get_products', input: { brief: 'x' } } },
      ),
    );
    expect(read).toMatchObject({
      ok: true,
      value: { args: { brief: 'x' }, argsPointer: '/params/message/parts/1/data/input' },
    });
  });

  it.each<[string, 'mcp' | 'a2a', JsonValue, string]>([
    ['a batch', 'mcp', [tool('get_products', {})], 'RELAY_BODY_MALFORMED'],
    ['a notification', 'mcp', { jsonrpc: '2.0', method: 'tools/call', params: {} }, 'RELAY_BODY_MALFORMED'],
    [
      'another version',
      'mcp',
      { jsonrpc: '1.0', id: 1, method: 'tools/call', params: {} },
      'RELAY_BODY_MALFORMED',
    ],
    [
      'a method without a task',
      'mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      'RELAY_METHOD_NOT_ALLOWED',
    ],
    ['arguments that are a list', 'mcp', tool('get_products', []), 'RELAY_BODY_MALFORMED'],
    ['a task nobody knows', 'mcp', tool('drop_tables', {}), 'RELAY_TASK_UNKNOWN'],
    [
      'two calls in one message',
      'a2a',
      skill({ data: { skill: 'get_products' } }, { data: { skill: 'get_products' } }),
      'RELAY_BODY_MALFORMED',
    ],
    [
      'both names for the arguments',
      'a2a',
      skill({ data: { skill: 'get_products', input: {}, parameters: {} } }),
      'RELAY_BODY_MALFORMED',
    ],
    ['a message of words alone', 'a2a', skill({ text: 'buy something' }), 'RELAY_BODY_MALFORMED'],
    ['an MCP body at the A2A endpoint', 'a2a', tool('get_products', {}), 'RELAY_METHOD_NOT_ALLOWED'],
  ])('refuses %s', (_what, protocol, body, code) => {
    expect(codeOf(protocol, body)).toBe(code);
  });
});
