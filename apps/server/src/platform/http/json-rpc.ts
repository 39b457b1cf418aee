import { credentialInArgs, dialectOf, dialects } from '@switchyard/protocol';
import { err, isJsonObject, ok, parseStrictJson, peerJsonLimits } from '@switchyard/values';
import type { JsonObject, JsonValue, Result } from '@switchyard/values';
import type { HttpAnswer, HttpFault } from './http-answer.js';
import { faultBody, refusal, retryHeader } from './http-answer.js';

export type JsonRpcId = string | number;

export type JsonRpcMessage =
  | {
      readonly kind: 'request';
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'response' };

/** The codes of JSON-RPC 2.0 that this server uses. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** Why a body is not a message, with its id if that could be read. */
interface JsonRpcFault {
  readonly id: JsonRpcId | null;
  readonly message: string;
  readonly field?: string;
  /** Absent: the message itself is none of JSON-RPC. */
  readonly code?: number;
}

/**
 * Reads one JSON-RPC message. Batches are refused: their answer would wait for the slowest message, and MCP and A2A
 * removed them.
 */
export function readJsonRpc(value: JsonValue): Result<JsonRpcMessage, JsonRpcFault> {
  if (Array.isArray(value)) {
    return err({ id: null, message: 'Batches are not accepted: send one message per POST.' });
  }
  if (!isJsonObject(value)) return err({ id: null, message: 'A JSON-RPC message must be an object.' });
  const id = value['id'];
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null;
  if (value['jsonrpc'] !== '2.0')
    return err({ id: known, message: 'jsonrpc must be "2.0".', field: 'jsonrpc' });
  const method = value['method'];
  if (method === undefined && ('result' in value || 'error' in value)) return ok({ kind: 'response' });
  if (typeof method !== 'string')
    return err({ id: known, message: 'method must be a string.', field: 'method' });
  if (id === undefined) return ok({ kind: 'notification', method });
  if (known === null) return err({ id: null, message: 'id must be a string or an integer.', field: 'id' });
  const params = value['params'] ?? {};
  if (!isJsonObject(params)) {
    const { invalidParams: code } = rpcCodes;
    return err({ id: known, message: 'params must be an object.', field: 'params', code });
  }
  return ok({ kind: 'request', id: known, method, params });
}

export function rpcResult(id: JsonRpcId, result: object): JsonObject {
  return { jsonrpc: '2.0', id, result: result as JsonObject };
}

/** A JSON-RPC error. `data` is always present: it holds the fault in the form of a task error. */
export function rpcError(id: JsonRpcId | null, code: number, message: string, data: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/** The same for a fault of the HTTP layer. */
export function rpcFault(id: JsonRpcId | null, code: number, fault: HttpFault): JsonObject {
  return rpcError(id, code, fault.message, rpcFaultData(fault));
}

/** The answer for a thrown error: a temporary one also has its own status, for readers of the status alone. */
export function rpcUnexpected(id: JsonRpcId | null, fault: HttpFault, args: JsonValue = {}): HttpAnswer {
  const status = fault.code === 'SERVICE_UNAVAILABLE' ? 503 : 200;
  const body = rpcError(id, rpcCodes.internal, fault.message, rpcFaultData(fault, args));
  return { status, headers: retryHeader(fault), body };
}

/** The id of the request in a body; null if there is none. */
export function idOf(body: Buffer): JsonRpcId | null {
  const parsed = parseStrictJson(body, peerJsonLimits);
  const read = parsed.ok ? readJsonRpc(parsed.value.value) : undefined;
  return read?.ok === true && read.value.kind === 'request' ? read.value.id : null;
}

/** The answer for a body that is JSON but no JSON-RPC message. */
export function rpcMalformed({
  id,
  message,
  field,
  code = rpcCodes.invalidRequest,
}: JsonRpcFault): HttpAnswer {
  const fault = { code: 'INVALID_REQUEST' as const, message, ...(field === undefined ? {} : { field }) };
  return { status: 400, body: rpcFault(id, code, fault) };
}

/** The answer for a body that is refused: the status is for HTTP, the body for JSON-RPC. */
export function rpcRefusal(fault: HttpFault): HttpAnswer {
  const body = rpcError(null, rpcCodes.parse, fault.message, { errors: [faultBody(fault)] });
  return { ...refusal(fault), body };
}

/**
 * The value of `error.data`: the fault in the form of a task error, in the dialect of the arguments that it was sent
 * with. Client libraries read the public fatal member there.
 */
export function rpcFaultData(fault: HttpFault, args: JsonValue = {}): JsonObject {
  const dialect = dialectOf({ taskName: '', args });
  const item = faultBody(fault, dialect);
  const context = isJsonObject(args) ? args['context'] : undefined;
  return {
    errors: [item],
    ...(dialect === 'adcp' ? { [dialects.adcp.fatalErrorMember]: item } : {}),
    ...(isJsonObject(context) && credentialInArgs('', args) === undefined ? { context } : {}),
  };
}

/** The answer for an unknown method: JSON-RPC's own code, and the fault in the form of a task error. */
export function unknownMethod(id: JsonRpcId, offered: string): JsonObject {
  const message = 'This method is not supported.';
  const fault = { code: 'NOT_FOUND', message, field: 'method', suggestion: offered } as const;
  return rpcFault(id, rpcCodes.methodNotFound, fault);
}

/** The answer for parameters that call nothing. */
export function invalidParams(id: JsonRpcId, message: string, field: string): JsonObject {
  return rpcFault(id, rpcCodes.invalidParams, { code: 'INVALID_REQUEST', message, field });
}
