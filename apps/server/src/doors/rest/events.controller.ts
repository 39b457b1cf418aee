import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import type { EventsAdmin } from '../../application/events-admin.js';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import { decisionSchema, eventFilter, eventsQuerySchema, rawQuerySchema } from './event-requests.js';

/** Webhooks as people deal with them. */
@Controller('v1/events')
export class EventsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get()
  list(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'events.list', async (admin, caller) => {
      const filter = readRequest(eventsQuerySchema, query);
      if (!filter.ok) return filter;
      const [counts, events] = await Promise.all([
        admin.eventCounts(caller),
        this.doors.events.list(caller, eventFilter(filter.value)),
      ]);
      return ok({ ...counts, events });
    });
  }

  @Get(':id')
  show(
    @Param('id') id: string,
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'events.list', async (_admin, caller) => {
      const asked = readRequest(rawQuerySchema, query);
      return asked.ok ? this.doors.events.show(caller, id, { raw: asked.value.raw === 'true' }) : asked;
    });
  }

  @Post(':id/admit')
  admit(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('admit', id, request, reply);
  }

  @Post(':id/dismiss')
  dismiss(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.decide('dismiss', id, request, reply);
  }

  private decide(
    how: keyof Pick<EventsAdmin, 'admit' | 'dismiss'>,
    id: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'events.decide',
      async (_admin, caller, body) => {
        const ask = readRequest(decisionSchema, body);
        return ask.ok ? this.doors.events[how](caller, id, ask.value.reason) : ask;
      },
    );
  }
}
