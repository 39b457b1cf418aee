import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { rpcCodes, rpcError, rpcFault, rpcFaultData, type JsonRpcMessage } from '../http/json-rpc.js';
import { headerValues } from '../http/raw-headers.js';
import { knownVersions } from './initialize.js';

/** The MCP revision without a handshake: each request names its version and what its client can do. */
export const statelessVersion = '2026-07-28';

const metaPrefix = 'io.modelcontextprotocol/';

/** Codes that the revision defines, in the range that is reserved for it. */
/** All that are served on this address, newest first. Those before the first one begin with `initialize`. */
export const servedVersions: readonly string[] = [statelessVersion, ...knownVersions];

const codes = { headerMismatch: -32_020, unsupportedVersion: -32_022 } as const;

type RpcRequest = Extract<JsonRpcMessage, { kind: 'request' }>;

/**
 * Whether a request is of the revision without a handshake: it claims a version in its `_meta`, or its header names that
 * revision. `initialize` alone selects an older revision.
 */
export function isStateless({ params }: RpcRequest, rawHeaders: readonly string[]): boolean {
  const claimed = metaOf(params)[`${metaPrefix}protocolVersion`] !== undefined;
  return claimed || headerValues(rawHeaders, 'mcp-protocol-version').includes(statelessVersion);
}

/**
 * Why a request of that revision is refused, with HTTP 400: its headers say something else than its body, its version is
 * not served, or its `_meta` lacks a member. A proxy routes by the headers and this server acts on the body, so the two
 * have to agree (MCP 2026-07-28, Streamable HTTP, server validation).
 */
export function statelessFault(request: RpcRequest, rawHeaders: readonly string[]): HttpAnswer | undefined {
  const { id, method, params } = request;
  const meta = metaOf(params);
  const claimed = meta[`${metaPrefix}protocolVersion`];
  const refused = (code: number, message: string, field: string): HttpAnswer => ({
    status: 400,
    body: rpcFault(id, code, { code: 'INVALID_REQUEST', message, field }),
  });
  const lacks = (name: string): HttpAnswer => {
    const field = `params._meta["${metaPrefix}${name}"]`;
    return refused(rpcCodes.invalidParams, `${field} is required in this version of MCP.`, field);
  };
  if (typeof claimed !== 'string') return lacks('protocolVersion');
  const mirrored = (header: string, value: unknown): HttpAnswer | undefined => {
    const sent = headerValues(rawHeaders, header.toLowerCase());
    const [only] = sent;
    if (sent.length === 1 && only !== undefined && decoded(header, only) === value) return undefined;
    const why = only === undefined ? 'is missing' : 'differs from the body';
    return refused(codes.headerMismatch, `Header mismatch: ${header} ${why}.`, header.toLowerCase());
  };
  const otherVersion = mirrored('MCP-Protocol-Version', claimed);
  if (otherVersion !== undefined) return otherVersion;
  if (claimed !== statelessVersion) return unsupportedVersion(id, claimed);
  if (!isJsonObject(meta[`${metaPrefix}clientCapabilities`])) return lacks('clientCapabilities');
  const otherMethod = mirrored('Mcp-Method', method);
  return otherMethod ?? (method === 'tools/call' ? mirrored('Mcp-Name', params['name']) : undefined);
}

/** The answer for a version that is not served, with those that are. */
export function unsupportedVersion(id: RpcRequest['id'], requested: string): HttpAnswer {
  const message = 'Unsupported protocol version';
  const data = {
    supported: [...servedVersions],
    requested: requested.slice(0, 100),
    ...rpcFaultData({ code: 'INVALID_REQUEST', message, field: 'mcp-protocol-version' }),
  };
  return { status: 400, body: rpcError(id, codes.unsupportedVersion, message, data) };
}

/** How long a client may use a list that it has read, in milliseconds: lists change with a new version of this server. */
const listFreshForMs = 300_000;

/** The members that every result of the revision has: it is complete, and from whom it is. */
export function resultMembers({ version }: Pick<HttpContext, 'version'>): JsonObject {
  return {
    resultType: 'complete',
    _meta: { [`${metaPrefix}serverInfo`]: { name: 'switchyard', title: 'Switchyard', version } },
  };
}

/** How a result may be cached: a list of tools is the same for everybody. */
export function cacheMembers(cacheScope: 'public' | 'private'): JsonObject {
  return { ttlMs: listFreshForMs, cacheScope };
}

function metaOf(params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  return isJsonObject(meta) ? meta : {};
}

/** A name that no header can hold is sent in Base64 between two marks. */
function decoded(header: string, value: string): string {
  const encoded =
    header === 'Mcp-Name' ? /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1] : undefined;
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
