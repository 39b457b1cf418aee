import type { FastifyReply } from 'fastify';
import { endTurn } from '../http/admit.js';
import { sendAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { EventStream } from '../http/event-stream.js';
import { rpcFault, rpcResult } from '../http/json-rpc.js';
import { artifactUpdate, isOver, statusUpdate, writeTask, type A2aTask } from './a2a-task.js';
import { a2aCodes, type A2aCall } from './a2a-call.js';
import { readTask } from './get-task.js';
import { startTask } from './send-message.js';

/** The interval between reads of a task for its stream, in milliseconds: short at first, longer later. */
const pollMs = (polls: number): number => (polls < 30 ? 1_000 : 5_000);
/** The longest life of a stream, in milliseconds; its client subscribes again. */
const longestMs = 15 * 60_000;
/** Streams of one caller at a time in one process: each costs a connection and repeated reads. */
const mostPerCaller = 20;

const open = new Map<string, number>();

/** `message/stream` and `SendStreamingMessage`: the task at its first answer, then each change of it until it is over. */
export async function streamMessage(call: A2aCall, reply: FastifyReply, http: HttpContext): Promise<void> {
  await whileCounted(call, reply, async () => {
    const started = await startTask(call, http);
    if (!started.ok) return sendAnswer(reply, started.error);
    endTurn(reply.request);
    await follow(call, started.value, new EventStream(reply), http);
  });
}

/** `tasks/resubscribe` and `SubscribeToTask`: the same for an existing task by its id, at any replica. */
export async function subscribeToTask(call: A2aCall, reply: FastifyReply, http: HttpContext): Promise<void> {
  await whileCounted(call, reply, async () => {
    const task = await readTask(call, call.params['id'], 'params.id', http);
    if (!task.ok) return sendAnswer(reply, task.error);
    // 1.0 has no stream of a final task. In 0.3 a client that lost its stream still gets the final event.
    if (call.generation === '1.0' && isOver(task.value))
      return refuse(call, reply, 'The task has ended: read it with GetTask.');
    endTurn(reply.request);
    await follow(call, task.value, new EventStream(reply), http);
  });
}

/**
 * Reads the task from the database until it is final, so any process may work on it. Nothing is sent twice: a status is
 * sent only when it has changed.
 */
async function follow(call: A2aCall, first: A2aTask, stream: EventStream, http: HttpContext): Promise<void> {
  const { generation, signal } = call;
  const send = (event: object): void => stream.send(JSON.stringify(rpcResult(call.id, event)));
  const begun = writeTask(first, generation);
  send(generation === '1.0' ? { task: begun } : begun);
  // Clients of 0.3 wait for an event that is marked as the last.
  if (isOver(first) && generation === '0.3') send(statusUpdate(first, generation));
  const until = http.clock.now() + longestMs;
  let last = first;
  for (let polls = 0; !isOver(last) && !signal.aborted && http.clock.now() < until; polls += 1) {
    await pause(pollMs(polls), signal, http);
    const read = await readTask(call, first.id, 'params.id', http);
    if (!read.ok) break;
    if (read.value.status === last.status && read.value.timestamp === last.timestamp) {
      stream.keepAlive();
      continue;
    }
    const received = { ...read.value, contextId: first.contextId };
    if (isOver(received)) send(artifactUpdate(received, generation));
    send(statusUpdate(received, generation));
    last = received;
  }
  stream.end();
}

function pause(ms: number, signal: AbortSignal, { clock }: HttpContext): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}

async function whileCounted(call: A2aCall, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
  const { caller } = call;
  const key = caller.kind === 'principal' ? caller.principalId : `public ${caller.address ?? ''}`;
  const count = open.get(key) ?? 0;
  if (count >= mostPerCaller)
    return refuse(call, reply, `A caller can have up to ${mostPerCaller} streams at a time: end one first.`);
  open.set(key, count + 1);
  try {
    await work();
  } finally {
    const left = (open.get(key) ?? 1) - 1;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  }
}

function refuse({ id }: A2aCall, reply: FastifyReply, message: string): void {
  const fault = { code: 'INVALID_REQUEST', message, field: 'params.id' } as const;
  sendAnswer(reply, { status: 200, body: rpcFault(id, a2aCodes.unsupportedOperation, fault) });
}
