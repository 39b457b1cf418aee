import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import type { TaskCall, TaskReply } from '../tasks/call/task-call.js';
import { authenticate } from '../http/access/auth.js';
import { capFor } from '../http/body-caps.js';
import { callerGone } from '../http/watch-connections.js';
import { refusal, sendAnswer, unexpectedFault, type HttpAnswer } from '../http/http-answer.js';
import { EventStream } from '../http/event-stream.js';
import { readJson } from '../http/read-json.js';
import { isTaskName, unknownTask } from '../tasks/listing/task-listing.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';

/** `POST /v1/tasks/{task}`: every task of the table, as JSON or as a stream. */
@Controller('v1/tasks')
export class TasksController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Post(':task')
  post(
    @Param('task') task: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerTask(task, request, reply, this.http);
  }
}

/**
 * Answers one task over REST. With `Accept: text/event-stream`, without JSON in it, each seller is an event `seller` as
 * it settles, and the last event is `result`, or `error` if the task failed; both hold the body of the JSON answer. With
 * `text/event-stream;parts=products` a question to the market begins with an event `asked`, which names its sellers, and a
 * seller that has answered one for products has an event `products` before its own, with what it offers.
 */
async function answerTask(
  task: string,
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
): Promise<void> {
  const caller = await authenticate(request, http, { aliases: false, sessions: true });
  if (!caller.ok) return sendAnswer(reply, caller.error);
  if (!isTaskName(task)) return sendAnswer(reply, refusal(unknownTask(task, 'task')));
  const json = await readJson(request, capFor(caller.value));
  if (!json.ok) return sendAnswer(reply, refusal(json.error));
  const stream = wantsStream(request.headers.accept) ? new EventStream(reply) : undefined;
  const answer = await received(http, task, () =>
    http.tasks.call({
      endpoint: 'rest',
      task,
      args: json.value.value,
      exact: json.value.exact,
      caller: caller.value,
      signal: callerGone(reply),
      ...(stream ? announce(stream, wantsParts(request.headers.accept)) : {}),
    }),
  );
  if (!stream || (isForHttp(answer.status) && !stream.opened)) return sendAnswer(reply, answer.answer);
  stream.send(JSON.stringify(answer.answer.body), answer.failed ? 'error' : 'result');
  stream.end();
}

/** A client that also accepts JSON gets JSON, with a status, which a stream cannot have. */
function wantsStream(accept = ''): boolean {
  return accept.includes('text/event-stream') && !accept.includes('application/json');
}

/** Asked for by itself: a client of an earlier release takes each event that is no seller for the result. */
const wantsParts = (accept = ''): boolean => /text\/event-stream\s*;\s*parts=products\b/.test(accept);

/** Statuses that clients and balancers act on: the credential, and the time of a retry. */
const isForHttp = (status: number): boolean => status === 401 || status === 503;

interface Answered {
  readonly status: number;
  readonly failed: boolean;
  readonly answer: HttpAnswer;
}

async function received(http: HttpContext, task: string, call: () => Promise<TaskReply>): Promise<Answered> {
  try {
    const reply = await call();
    return { status: reply.httpStatus, failed: reply.isError, answer: restAnswer(reply) };
  } catch (error) {
    http.onUnexpected(error, `rest ${task}`);
    const answer = refusal(unexpectedFault(error));
    return { status: answer.status, failed: true, answer };
  }
}

function restAnswer(reply: TaskReply): HttpAnswer {
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  const retryAfter = reply.errors.find((error) => error.retryAfter !== undefined)?.retryAfter;
  return {
    status: reply.httpStatus,
    body: reply.body,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(Math.ceil(retryAfter)) } }),
  };
}

/** So many bytes may wait for a reader that is slow before parts are left to the result, which has them too. */
const mostUnread = 2_000_000;

function announce(
  stream: EventStream,
  withParts: boolean,
): Pick<TaskCall, 'onSeller' | 'onAsked' | 'onItems'> {
  return {
    onSeller: (row, settled, total) => stream.send(JSON.stringify({ ...row, settled, total }), 'seller'),
    ...(withParts && {
      onAsked: (sellers) => stream.send(JSON.stringify({ sellers }), 'asked'),
      onItems: (seller, list, items) => {
        if (stream.unread < mostUnread) stream.send(JSON.stringify({ seller, [list]: items }), list);
      },
    }),
  };
}
