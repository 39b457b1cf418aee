import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { getProducts, type GetProductsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { MarketQuestion } from './market-question.js';
import { projectInTurns, projectRequests } from './project-requests.js';

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

describe('a governance context in a market query', () => {
  it.each([
    ['the same words for all', {}],
    ['an account of its own', { account: { accountId: 'ours' } }],
  ])('reaches its own seller and no other, with %s', (_how, more) => {
    const question = { spec: getProducts, request } as unknown as MarketQuestion<GetProductsRequest, unknown>;
    const argsFor = projectRequests(question);
    const reported = ['bravo', 'acme', 'charlie'].map(
      (slug) => argsFor(at(slug, more)).args['governance_context'],
    );
    expect(reported).toEqual([undefined, token, undefined]);
  });
});

describe('a request to many sellers', () => {
  it('is translated once per release, and each seller gets its own members in addition', () => {
    const projected: string[] = [];
    const spec = {
      ...getProducts,
      projectRequest: (...[asked, to]: Parameters<typeof getProducts.projectRequest>) => {
        projected.push(to.form);
        return getProducts.projectRequest(asked, to);
      },
    };
    const requested = { buyingMode: 'brief', brief: 'tea', ext: { note: 'ours' } } as GetProductsRequest;
    const requestFor = () => requested;
    const pushFor = ({ id }: Connection) =>
      id === 's7' ? { url: 'https://us.example/hook', operationId: 'o7' } : undefined;
    const question = { spec, request: requested, requestFor, pushFor } as unknown as MarketQuestion<
      GetProductsRequest,
      unknown
    >;
    const argsFor = projectRequests(question);
    const sent = Array.from({ length: 50 }, (_, index) =>
      argsFor(
        at(`s${index}`, {
          form: index % 2 === 0 ? '3.0' : '3.1',
          ...(index === 9 ? { account: { accountId: 'ours' } } : {}),
        }),
      ),
    );
    expect(projected).toEqual(['3.0', '3.1']);
    expect(new Set(sent.map(({ searched }) => searched)).size).toBe(2);
    expect(sent[1]?.args).toMatchObject({ brief: 'tea', ext: { note: 'ours' } });
    expect(sent[7]?.args).toMatchObject({ brief: 'tea', push_notification_config: { operation_id: 'o7' } });
    expect(sent[9]?.args).toMatchObject({ brief: 'tea', account: { account_id: 'ours' } });
    const members = sent.map(({ args }) => Object.keys(args));
    expect(members.filter((names) => names.includes('push_notification_config'))).toHaveLength(1);
    expect(members.filter((names) => names.includes('account'))).toHaveLength(1);
  });

  it.each([
    ['a long one', 5_000, ['3.0', 'others', '3.1', 'others']],
    ['a short one', 5, []],
  ])('gives others a turn between two releases: %s', async (_what, count, expected) => {
    const ext = Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
    const request = { buyingMode: 'brief', brief: 'tea', ext } as unknown as GetProductsRequest;
    const turns: string[] = [];
    const argsFor = projectRequests({ spec: getProducts, request } as unknown as MarketQuestion<
      GetProductsRequest,
      unknown
    >);
    const project = (connection: Connection) => {
      turns.push(connection.form);
      setImmediate(() => turns.push('others'));
      return argsFor(connection);
    };
    const forms = ['3.0', '3.1', '3.0'] as const;
    await projectInTurns(
      { request },
      project,
      forms.map((form, index) => at(`s${index}`, { form })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toEqual(expected);
  });
});
