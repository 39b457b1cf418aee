import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startReceiver, type Receiver } from '@switchyard/testing';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { waitUntil } from './harness/wait-until.js';

const folder = dataFolder();
/** Headers of what the sellers were asked. */
const headersAtSellers: NodeJS.Dict<string | string[]>[] = [];
let collector: Receiver;
let instance: Instance;
let sellers: readonly PlainSeller[];

beforeAll(async () => {
  collector = await startReceiver();
  instance = await startInstance(folder.path, ['--no-sandbox'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
    SWITCHYARD_LOG_LEVEL: 'info',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test',
  });
  sellers = await Promise.all(
    ['first', 'second', 'third'].map(async (slug) => {
      const seller = await plainSeller(
        () => ({ json: JSON.stringify({ status: 'completed', products: [plainProduct] }) }),
        {
          tools: ['get_products'],
          guard: ({ headers }) => {
            headersAtSellers.push(headers);
            return Promise.resolve(false);
          },
        },
      );
      await admin(instance, 'POST', '/v1/sellers/import', [
        { slug, agent_url: seller.agentUrl, token: `a token of ${slug}`, protocol: 'mcp', dialect: 'adcp' },
      ]);
      return seller;
    }),
  );
});
afterAll(async () => {
  await instance.stop();
  await Promise.all(sellers.map((seller) => seller.close()));
  await collector.close();
  await folder.remove();
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const sent = (): SentTraces['resourceSpans'] =>
  collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => (body as unknown as SentTraces).resourceSpans);
const spans = (): readonly SentSpan[] =>
  sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
const valueOf = ({ attributes }: Pick<SentSpan, 'attributes'>, key: string): string | number | undefined => {
  const value = attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** A brief, and the spans of its trace once all its sellers' are there. */
async function ask(traceparent: string): Promise<readonly SentSpan[]> {
  const known = new Set(spans().map(({ traceId }) => traceId));
  const answer = await callTask(
    'MCP',
    { url: instance.url, token: instance.token, headers: { traceparent } },
    'get_products',
    { adcp_version: '3.0', brief: 'a secret launch', buying_mode: 'brief' },
  );
  expect(answer.httpStatus).toBe(200);
  return waitUntil('the trace of the brief', () => {
    const root = spans().find(({ traceId, name }) => !known.has(traceId) && name === 'POST /mcp');
    const own = spans().filter(({ traceId }) => traceId === root?.traceId);
    return root !== undefined && own.filter(({ name }) => name === 'leg get_products').length === 3
      ? own
      : undefined;
  });
}

const callersTrace = '0af7651916cd43dd8448eb211c80319c';

it('follows a brief from the request to each seller in one trace of its own, which links the one of the caller', async () => {
  const trace = await ask(`00-${callersTrace}-b7ad6b7169203331-00`);
  const [root] = trace.filter(({ name }) => name === 'POST /mcp');
  expect(root?.traceId).not.toBe(callersTrace);
  expect(root?.parentSpanId ?? '').toBe('');
  expect(root?.links?.map(({ traceId }) => traceId)).toEqual([callersTrace]);
  expect(valueOf(root!, 'switchyard.caller_trace')).toBe(callersTrace);
  expect(valueOf(root!, 'http.response.status_code')).toBe(200);
  const [task] = trace.filter(({ name }) => name === 'task get_products');
  expect(task?.parentSpanId).toBe(root?.spanId);
  const legs = trace.filter(({ name }) => name === 'leg get_products');
  const above = (span: SentSpan | undefined): readonly string[] => {
    const parent = trace.find(({ spanId }) => spanId === span?.parentSpanId);
    return parent === undefined ? [] : [parent.name, ...above(parent)];
  };
  for (const leg of legs) expect(above(leg)).toEqual(['task get_products', 'POST /mcp']);
  expect(new Set(legs.map((leg) => valueOf(leg, 'switchyard.connection'))).size).toBe(3);
  for (const leg of legs)
    expect(
      trace.filter(({ name, parentSpanId }) => name === 'egress' && parentSpanId === leg.spanId),
    ).not.toEqual([]);
  const written = await waitUntil('the line of the request', () =>
    instance
      .stderr()
      .split('\n')
      .find((line) => line.includes('"event":"request"') && line.includes(root?.traceId ?? 'none')),
  );
  expect(JSON.parse(written)).toMatchObject({ endpoint: 'mcp', trace_id: root?.traceId });
  const [{ resource }] = sent() as [SentTraces['resourceSpans'][number]];
  expect(valueOf(resource, 'service.name')).toBe('switchyard');
  expect(valueOf(resource, 'deployment.environment.name')).toBe('a test');
});

it('sends no seller a trace id, and the collector neither the brief nor a token', async () => {
  await ask(`00-${callersTrace}-b7ad6b7169203331-01`);
  expect(headersAtSellers.length).toBeGreaterThan(3);
  for (const headers of headersAtSellers) {
    expect(headers).not.toHaveProperty('traceparent');
    expect(headers).not.toHaveProperty('tracestate');
    expect(JSON.stringify(headers)).not.toContain(callersTrace);
  }
  const everything = JSON.stringify(collector.received);
  for (const secret of ['a secret launch', instance.token, 'a token of first'])
    expect(everything).not.toContain(secret);
});
