import { listCreatives as list } from '@switchyard/buys';
import { listCreatives as task, type ListCreativesRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { writeAnswer } from '../write-answer.js';

export async function listCreatives(
  { ports, creatives }: HandlerParts,
  { scope, principal, request, version }: HandledCall<ListCreativesRequest>,
): Promise<Handled> {
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { principalId } = principal;
  const read = await list({ creatives, clock: ports.clock }, { ...scope, principalId }, request);
  if (!read.ok) return { kind: 'failed', errors: read.error };
  return { kind: 'done', status: 'completed', payload: writeAnswer(task, read.value, version.voice) };
}
