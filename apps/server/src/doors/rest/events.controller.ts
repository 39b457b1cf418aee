import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import { decisionSchema, eventFilter, eventsQuerySchema, rawQuerySchema } from './event-requests.js';

/** Webhooks as people deal with them. */
@Controller('v1/events')
export class EventsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get()
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'events.list', eventsQuerySchema, async (doors, caller, asked) => {
      const [counts, events] = await Promise.all([
        doors.admin.eventCounts(caller),
        doors.events.list(caller, eventFilter(asked)),
      ]);
      return ok({ ...counts, events });
    });
  }

  @Get(':id')
  show(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'events.list', rawQuerySchema, ({ events }, caller, asked) =>
      events.show(caller, id, { raw: asked.raw === 'true' }),
    );
  }

  @Post(':id/admit')
  admit(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'events.decide', decisionSchema, ({ events }, caller, asked) =>
      events.admit(caller, id, asked.reason),
    );
  }

  @Post(':id/dismiss')
  dismiss(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'events.decide', decisionSchema, ({ events }, caller, asked) =>
      events.dismiss(caller, id, asked.reason),
    );
  }
}
