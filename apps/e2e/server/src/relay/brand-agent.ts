import { randomBytes, randomUUID } from 'node:crypto';
import { dialects } from '@switchyard/protocol';
import { signRequest, type SigningKey } from '@switchyard/signing';
import type { Json } from '../harness/buy-request.js';

export interface Addresses {
  readonly relay_mcp_url: string | null;
  readonly relay_a2a_url: string | null;
  readonly seller_mcp_url: string | null;
  readonly seller_a2a_url: string | null;
  readonly callback_url: string;
}

/** One signed request, before it is posted. */
export interface SealedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SealOptions {
  /** A2A: the native push configuration beside the message. */
  readonly push?: Json;
  /** A2A: requests an event stream. */
  readonly streams?: boolean;
}

/** Signs one task call for the seller's URL, in the seller's protocol. */
export function seal(
  key: SigningKey,
  addresses: Pick<Addresses, 'seller_mcp_url' | 'seller_a2a_url'>,
  tool: string,
  args: Json,
  options: SealOptions = {},
): SealedPost {
  const isMcp = addresses.seller_mcp_url !== null;
  const call = isMcp
    ? { method: 'tools/call', params: { name: tool, arguments: args } }
    : {
        method: options.streams === true ? 'message/stream' : 'message/send',
        params: skillCall(tool, args, options.push),
      };
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 7, ...call }));
  const created = Math.floor(Date.now() / 1000);
  const signed = signRequest({
    method: 'POST',
    url: addresses.seller_mcp_url ?? addresses.seller_a2a_url ?? '',
    headers: { 'Content-Type': 'application/json' },
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: dialects.adcp.requestTag,
    created,
    expires: created + 250,
    nonce: randomBytes(16).toString('base64url'),
  });
  return { headers: { 'Content-Type': 'application/json', ...signed }, body };
}

function skillCall(skill: string, parameters: Json, push: Json | undefined): Json {
  const message = {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'data', data: { skill, parameters } }],
  };
  return push === undefined ? { message } : { message, configuration: { pushNotificationConfig: push } };
}

/** The answer, as far as tests read it. */
export interface RelayReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly record: string;
  /** The relay's own code; absent if the answer is the seller's. */
  readonly code?: string;
  readonly field?: string;
}

export async function postSealed(
  addresses: Pick<Addresses, 'relay_mcp_url' | 'relay_a2a_url'>,
  token: string,
  { headers, body }: SealedPost,
): Promise<RelayReply> {
  const answer = await fetch(addresses.relay_mcp_url ?? addresses.relay_a2a_url ?? '', {
    method: 'POST',
    headers: { ...headers, Authorization: `Bearer ${token}` },
    body,
  });
  const text = await answer.text();
  const fault = faultIn(text);
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    record: answer.headers.get('switchyard-custody-record') ?? '',
    ...fault,
  };
}

function faultIn(text: string): { readonly code?: string; readonly field?: string } {
  if (!text.startsWith('{')) return {};
  const { error } = JSON.parse(text) as {
    error?: { data?: { errors?: readonly { code: string; field?: string }[] } };
  };
  const [first] = error?.data?.errors ?? [];
  if (first === undefined) return {};
  return first.field === undefined ? { code: first.code } : { code: first.code, field: first.field };
}
