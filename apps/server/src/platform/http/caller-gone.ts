import type { FastifyReply } from 'fastify';

/** Fires when the connection ends before the answer: the caller has disconnected. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
