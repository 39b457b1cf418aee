import type { Agent } from '../agent/agent.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { done, refusal, type Outcome, type Refusal } from '../agent/outcome.js';
import { unable } from '../agent/unable.js';
import type { ForcedArm, ForcedQuestion } from './forced-arm.js';

const longestTaskId = 128;
const longestMessage = 2_000;

/** Stores the answer to the next buy. Several are used for one buy each, in order. */
export function forceCreateMediaBuyArm(agent: Agent, params: JsonObject): Outcome {
  const forced = readArm(agent, params);
  if (typeof forced === 'string') return unable('INVALID_PARAMS', forced);
  const shown =
    forced.arm === 'submitted' ? { arm: forced.arm, task_id: forced.taskId } : { arm: forced.arm };
  return done({ success: true, forced: shown }, { forcedArms: [...agent.books.forcedArms, forced] });
}

/** Removes the next one from the books; undefined if the seller answers normally. */
export function takeForcedArm(agent: Agent): ForcedArm | undefined {
  const [next, ...forcedArms] = agent.books.forcedArms;
  if (next !== undefined) agent.books.write({ forcedArms });
  return next;
}

/** The `input-required` arm of a buy is its error arm: nothing was made, and no task continues. */
export function forcedRefusal({ message }: ForcedQuestion): Refusal {
  return refusal(
    'INVALID_REQUEST',
    message ?? 'The seller must know more before it can decide.',
    'po_number',
  );
}

function readArm(agent: Agent, params: JsonObject): ForcedArm | string {
  const { arm } = params;
  if (arm !== 'submitted' && arm !== 'input-required') return 'arm is submitted or input-required';
  const message = textOf(params['message']);
  if (message !== undefined && message.length > longestMessage)
    return `message has ${longestMessage} characters at most`;
  const received = compact({ message }) as { readonly message?: string };
  if (arm === 'input-required') return { arm, ...received };
  const taskId = textOf(params['task_id']) ?? '';
  if (taskId === '' || taskId.length > longestTaskId)
    return `task_id is a text of up to ${longestTaskId} characters`;
  const waits = agent.books.forcedArms.some(
    (forcedArm) => forcedArm.arm === 'submitted' && forcedArm.taskId === taskId,
  );
  if (waits || agent.books.tasks.has(taskId)) return 'a task has this id already';
  return { arm, taskId, ...received };
}
