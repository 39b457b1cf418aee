import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import { acknowledgeSchema, alarmsQuerySchema, refusedQuerySchema } from './alarm-requests.js';

/** What people should look at: alarms, and signed messages that were refused. */
@Controller('v1')
export class AlarmsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get('alarms')
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'alarms.list', alarmsQuerySchema, async ({ alarms }, caller, asked) => {
      const filter = asked.state === undefined ? {} : { isOpen: asked.state === 'open' };
      return ok({ alarms: await alarms.list(caller, filter) });
    });
  }

  @Post('alarms/:id/acknowledge')
  acknowledge(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'alarms.acknowledge', acknowledgeSchema, ({ alarms }, caller, asked) =>
      alarms.acknowledge(caller, id, { reason: asked.reason, accepts: asked.accept }),
    );
  }

  @Get('signatures/refused')
  refused(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(
      reply,
      'signatures.refused',
      refusedQuerySchema,
      async ({ alarms }, caller, { code, limit }) => {
        const refused = await alarms.refusedSignatures(caller, {
          ...(code === undefined ? {} : { code }),
          ...(limit === undefined ? {} : { limit: Number(limit) }),
        });
        return ok({ refused });
      },
    );
  }
}
