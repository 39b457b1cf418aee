import type { Agent } from './agent.js';
import { callTask, replayKey, type Answer, type ToolCall } from './call-task.js';
import type { JsonObject } from '../json.js';
import { misbehaviourOf, garble } from '../webhooks/misbehave.js';
import type { Tool } from './tool.js';

/** How a call ends: with an answer, a malformed answer, HTTP 500, no answer, or a closed connection. */
export type Received =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fail' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'lose' };

/** Counts a call, waits the agent's latency and applies its personality. For all protocols. */
export async function receiveCall(agent: Agent, { tool, args, caller, native }: ToolCall): Promise<Received> {
  agent.calls.note({ at: new Date(agent.now()).toISOString(), tool: tool.name, caller, args });
  const count = agent.calls.total - (agent.calls.counts.get(agent.names.capabilitiesTask) ?? 0);
  const misbehaviour = misbehaviourOf(agent, tool, count, !hasSeen(agent, tool, args));
  if (misbehaviour === 'hang' || misbehaviour === 'fail') return { kind: misbehaviour };
  const wait = agent.personality.latencyMs * agent.scale;
  if (wait > 0) await new Promise<void>((resolve) => setTimeout(resolve, wait));
  const answer = callTask(agent, { tool, args, caller, native });
  if (misbehaviour === 'lose' && answer.status !== 'failed') return { kind: 'lose' };
  if (misbehaviour === 'answer' || misbehaviour === 'lose') return { kind: 'answer', answer };
  const spoilt = garble(tool.name, answer.body, count);
  if ('text' in spoilt) return { kind: 'text', text: spoilt.text };
  return { kind: 'answer', answer: { ...answer, body: spoilt.body } };
}

function hasSeen(agent: Agent, tool: Tool, args: JsonObject): boolean {
  const key = tool.mutates ? replayKey(agent, tool, args) : undefined;
  return key !== undefined && agent.books.replays.has(key);
}
