import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { getProducts, type GetProductsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { MarketQuestion } from './market-question.js';
import { projectRequests } from './project-requests.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = `${part({})}.${part({ aud: 'https://acme.example/mcp' })}.c2ln`;
const request = { buyingMode: 'wholesale', governanceContext: token } as GetProductsRequest;
const at = (slug: string, more: Partial<Connection> = {}) =>
  ({
    id: slug,
    agentUrl: `https://${slug}.example/mcp`,
    dialect: 'adcp',
    form: '3.1',
    ...more,
  }) as Connection;

describe('a governance context on a question to the market', () => {
  it.each([
    ['the same words for all', {}],
    ['an account of its own', { account: { accountId: 'ours' } }],
  ])('reaches its own seller and no other, with %s', (_how, more) => {
    const question = { spec: getProducts, request } as unknown as MarketQuestion<GetProductsRequest, unknown>;
    const argsFor = projectRequests(question);
    const said = ['bravo', 'acme', 'charlie'].map(
      (slug) => argsFor(at(slug, more)).args['governance_context'],
    );
    expect(said).toEqual([undefined, token, undefined]);
  });
});
