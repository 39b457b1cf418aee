import { randomUUID } from 'node:crypto';
import type { AgentInfo } from '../agent/agent-info.js';
import { isObject, listOf, textOf, type JsonObject } from '../json.js';
import { callAgent } from './call-agent.js';

const inAWeek = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** A get_products request in the agent's form. */
export function productsRequest(agent: AgentInfo, brief: string): JsonObject {
  return agent.form === 'service'
    ? { brief, brand_manifest: { url: 'https://acme.example' } }
    : { brief, buying_mode: 'brief', brand: { domain: 'acme.example' } };
}

/** A buy of one package of the agent's first product, in its form. `extra` wins over what is made up here. */
export async function buyRequest(agent: AgentInfo, extra: JsonObject = {}, days = 3): Promise<JsonObject> {
  const { body } = await callAgent(agent, 'get_products', productsRequest(agent, 'sports'));
  const product = listOf(body['products'])?.[0];
  if (!isObject(product)) throw new Error('the agent offers nothing');
  const option = listOf(product['pricing_options'])?.[0];
  const format = listOf(product['format_ids'])?.[0];
  if (!isObject(option) || !isObject(format)) throw new Error('the product cannot be bought');
  const creative = {
    ...{ creative_id: 'cr_1', name: 'One', format_id: format, assets: { main: {} } },
    ...(agent.form === '3.1' ? { provenance: { digital_source_type: 'digital_capture' } } : {}),
  };
  const floor = option['floor'] ?? option['floor_price'];
  const bought: JsonObject = {
    product_id: product['product_id'] ?? '',
    pricing_option_id: option['pricing_option_id'] ?? '',
    budget: 1234.5,
    creatives: [creative],
    ...(typeof floor === 'number' ? { bid_price: floor * 2 } : {}),
  };
  if (agent.form === 'service') {
    return {
      buyer_ref: `ref-${randomUUID()}`,
      brand_manifest: { url: 'https://acme.example' },
      start_time: { type: 'asap' },
      end_time: inAWeek(days - 1),
      packages: [{ buyer_ref: 'p1', ...bought }],
      ...extra,
    };
  }
  return {
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
    brand: { domain: 'acme.example' },
    start_time: 'asap',
    end_time: inAWeek(days - 1),
    packages: [{ ...bought, context: { buyer_ref: 'p1' } }],
    ...extra,
  };
}

/** The buy's request with one member of its only package changed. */
export function withPackage(request: JsonObject, change: JsonObject): JsonObject {
  const first = listOf(request['packages'])?.[0];
  return { ...request, packages: [{ ...(isObject(first) ? first : {}), ...change }] };
}

export function codesOf(body: JsonObject): string[] {
  return (listOf(body['errors']) ?? []).map((error) =>
    isObject(error) ? (textOf(error['code']) ?? '') : '',
  );
}
