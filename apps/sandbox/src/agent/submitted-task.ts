import { randomUUID } from 'node:crypto';
import { objectOf, type JsonObject } from '../json.js';
import type { Agent } from './agent.js';
import type { SellerTask, TaskPush } from './seller-task.js';
import type { NativeCall } from './tool.js';

/** A call that this seller answers later: its arguments, and the addresses for its result. */
export interface CallToAnswer {
  readonly agent: Agent;
  readonly args: JsonObject;
  readonly pushes: readonly TaskPush[];
  readonly native: NativeCall | undefined;
}

/** The addresses for webhooks: of the arguments, and of the protocol's own call. */
export function pushesOf(...pushes: readonly (TaskPush | undefined)[]): readonly TaskPush[] {
  return pushes.filter((each) => each !== undefined);
}

/** A task that is submitted now; `rest` has its type, its steps and its object. */
export function submittedTask(
  { agent, args, pushes, native }: CallToAnswer,
  rest: Pick<SellerTask, 'taskType' | 'steps'> & Partial<SellerTask>,
): SellerTask {
  const now = agent.now();
  const context = objectOf(args['context']);
  return {
    taskId: `task_${randomUUID().slice(0, 18)}`,
    state: 'submitted',
    message: 'Waiting for approval.',
    createdAt: now,
    updatedAt: now,
    pushes,
    ...(context ? { context } : {}),
    stepsDone: 0,
    ...(native ? { a2a: native.task } : {}),
    ...rest,
  };
}
