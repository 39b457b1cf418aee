import { randomBytes } from 'node:crypto';
import type { AnswerCache } from '@switchyard/fanout';
import { readTaskStatus, type TaskStatus } from '@switchyard/protocol';
import { isJsonObject, isUuid, type Clock, type JsonObject } from '@switchyard/values';
import type { Caller } from '../call/task-call.js';

/** A task whose first answer was final and that is stored as no operation: A2A clients read it by its id. */
export interface AnsweredTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: JsonObject;
  /** Name of the called task. */
  readonly name: string;
  /** Addresses that its owner registered. Nothing is sent to them: the task has ended. */
  readonly push?: readonly { readonly id: string; readonly url: string; readonly scheme?: string }[];
}

export interface AnsweredTasks {
  /** Stores a task, or what has changed of it. */
  keep(caller: Caller, task: AnsweredTask): Promise<void>;
  /** The caller's own; a foreign one is not found. Without a credential, anybody who knows the id may read it. */
  find(caller: Caller, id: string): Promise<AnsweredTask | undefined>;
}

/** How long a final answer can be read, in milliseconds. Shorter without a credential, to save disk. */
const retainedForMs = { principal: 60 * 60_000, public: 10 * 60_000 } as const;

/** In the column where pages of an answer have the hash of their read, so that no cursor opens such a row. */
const mark = 'a2a_task';

/** In PostgreSQL, so that every replica and the process after a restart can read it. */
export function createAnsweredTasks(answers: AnswerCache, clock: Pick<Clock, 'now'>): AnsweredTasks {
  return {
    keep: async (caller, task) => {
      const now = clock.now();
      const answer = {
        id: task.id,
        task: task.name,
        requestHash: mark,
        answer: JSON.stringify(task),
        cursorKey: randomBytes(32),
        expiresAt: now + retainedForMs[caller.kind],
        ...(caller.kind === 'principal' ? { principalId: caller.principalId } : {}),
      };
      await answers.store({ organizationId: caller.organizationId }, answer, now);
    },
    find: async (caller, id) => {
      if (!isUuid(id)) return undefined;
      const stored = await answers.find({ organizationId: caller.organizationId }, id, clock.now());
      const owner = caller.kind === 'principal' ? caller.principalId : undefined;
      if (stored?.requestHash !== mark || stored.principalId !== owner) return undefined;
      return readTask(JSON.parse(stored.answer));
    },
  };
}

function readTask(stored: unknown): AnsweredTask | undefined {
  if (!isJsonObject(stored) || !isJsonObject(stored['data'])) return undefined;
  const { id, contextId, status, timestamp, data, name } = stored;
  const texts = [id, contextId, timestamp, name];
  const known = readTaskStatus(status);
  if (known === undefined || !texts.every((text) => typeof text === 'string')) return undefined;
  return { ...(stored as unknown as AnsweredTask), status: known, data };
}
