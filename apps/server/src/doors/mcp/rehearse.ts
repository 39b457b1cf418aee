import { authorize } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import type { Rehearsal } from '../../application/rehearsal.js';
import { credentialMissing } from '../auth.js';
import type { DoorAnswer } from '../door-answer.js';
import { rpcResult } from '../json-rpc.js';
import type { ToolCall } from './call-tool.js';

/** Who may buy may rehearse buying. */
const needs = { access: 'credentials', area: 'media_buys', permission: 'write' } as const;

/** `comply_test_controller`, which is a tool of the local profile and no task of the protocol. */
export async function rehearse(
  { id, params, caller }: ToolCall,
  rehearsal: Rehearsal,
  signal: AbortSignal,
): Promise<DoorAnswer> {
  if (caller.kind === 'public') return credentialMissing();
  const allowed = authorize(caller, needs);
  const args = params['arguments'] ?? {};
  const said = !allowed.ok
    ? { success: false, error: 'FORBIDDEN', error_detail: allowed.error.message }
    : isJsonObject(args)
      ? await rehearsal.perform(caller, args, signal)
      : { success: false, error: 'INVALID_PARAMS', error_detail: 'The arguments are one JSON object.' };
  const context = isJsonObject(args) ? args['context'] : undefined;
  const body = { ...said, ...(isJsonObject(context) ? { context } : {}) };
  return {
    status: 200,
    body: rpcResult(id, {
      content: [{ type: 'text', text: JSON.stringify(body) }],
      structuredContent: body,
      ...(said['success'] === true ? {} : { isError: true }),
    }),
  };
}
