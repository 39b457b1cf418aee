import { randomUUID } from 'node:crypto';
import { credentialInArgs } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { rpcCodes, rpcError, rpcFaultData, rpcResult } from '../json-rpc.js';
import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { credentialBeside } from '../beside-arguments.js';
import { exactBelow } from '../read-json.js';
import { isTaskName, unknownTask } from '../task-listing.js';
import { unauthorizedAnswer } from '../unauthorized-answer.js';
import { readSkillCall, type SkillCall } from './a2a-request.js';
import { rehearsalTool, type Rehearsal } from '../../application/rehearsal.js';
import { credentialMissing } from '../auth.js';
import { rehearse } from '../rehearse.js';
import { writeTask } from './a2a-task.js';
import type { A2aCall } from './a2a-call.js';

/**
 * `message/send` and `SendMessage`. A final answer is a finished task with its data in the artifact; a task that
 * goes on carries our own task id, so that reading it later needs no memory of this door.
 */
export async function sendMessage(call: A2aCall, doors: DoorsContext): Promise<DoorAnswer> {
  const skillCall = readSkillCall(call.params);
  const { rehearsal } = doors;
  if (skillCall.ok && skillCall.value.skill === rehearsalTool && rehearsal !== undefined)
    return rehearsed(call, skillCall.value, { ...doors, rehearsal });
  const fault = skillCall.ok
    ? isTaskName(skillCall.value.skill)
      ? undefined
      : unknownTask(skillCall.value.skill, 'skill')
    : skillCall.error;
  if (!skillCall.ok || fault) {
    const { message } = fault ?? { message: '' };
    const data = fault ? rpcFaultData(fault, skillCall.ok ? skillCall.value.args : {}) : {};
    return { status: 200, body: rpcError(call.id, rpcCodes.invalidParams, message, data) };
  }
  const { skill, args, pointer, push, fault: unfit } = skillCall.value;
  const beside = credentialBeside(call.message, pointer);
  // A credential goes before whatever else is wrong, and the task is what refuses that.
  if (unfit !== undefined && beside === undefined && credentialInArgs(skill, args) === undefined)
    return {
      status: 200,
      body: rpcError(call.id, rpcCodes.invalidParams, unfit.message, rpcFaultData(unfit, args)),
    };
  const contextId = skillCall.value.contextId ?? randomUUID();
  const reply = await doors.tasks.call({
    door: 'a2a',
    task: skill,
    args,
    exact: exactBelow(call.exact, pointer),
    ...(beside === undefined ? {} : { credentialBeside: beside }),
    caller: call.caller,
    signal: call.signal,
    a2aContextId: contextId,
    ...(push ? { a2aPush: push, a2aGeneration: call.generation } : {}),
  });
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  const task = writeTask(
    {
      id: reply.taskId ?? randomUUID(),
      contextId,
      status: reply.isError && reply.status === 'completed' ? 'failed' : reply.status,
      timestamp: isoOf(doors.clock.now()),
      data: reply.body,
      name: skill,
    },
    call.generation,
  );
  return { status: 200, body: rpcResult(call.id, call.generation === '1.0' ? { task } : task) };
}

/** What the tool cannot do is an answer of it, so its task is done either way. */
async function rehearsed(
  { id, caller, signal, generation, message }: A2aCall,
  { skill, args, contextId, pointer }: SkillCall,
  doors: DoorsContext & { readonly rehearsal: Rehearsal },
): Promise<DoorAnswer> {
  if (caller.kind === 'public') return credentialMissing();
  const beside = credentialBeside(message, pointer);
  const data = await rehearse({ caller, args, signal, beside }, doors);
  const task = writeTask(
    {
      id: randomUUID(),
      contextId: contextId ?? randomUUID(),
      status: 'completed',
      timestamp: isoOf(doors.clock.now()),
      data,
      name: skill,
    },
    generation,
  );
  return { status: 200, body: rpcResult(id, generation === '1.0' ? { task } : task) };
}
