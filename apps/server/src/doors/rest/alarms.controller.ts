import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import { acknowledgeSchema, alarmsQuerySchema, refusedQuerySchema } from './alarm-requests.js';

/** What people should look at: alarms, and signed messages that were refused. */
@Controller('v1')
export class AlarmsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('alarms')
  list(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'alarms.list', async (_admin, caller) => {
      const ask = readRequest(alarmsQuerySchema, query);
      if (!ask.ok) return ask;
      const { state } = ask.value;
      const filter = state === undefined ? {} : { isOpen: state === 'open' };
      return ok({ alarms: await this.doors.alarms.list(caller, filter) });
    });
  }

  @Post('alarms/:id/acknowledge')
  acknowledge(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'alarms.acknowledge', async (_admin, caller, body) => {
      const ask = readRequest(acknowledgeSchema, body);
      if (!ask.ok) return ask;
      const { reason, accept: accepts } = ask.value;
      return this.doors.alarms.acknowledge(caller, id, { reason, accepts });
    });
  }

  @Get('signatures/refused')
  refused(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin(
      { request, reply, doors: this.doors },
      'signatures.refused',
      async (_admin, caller) => {
        const ask = readRequest(refusedQuerySchema, query);
        if (!ask.ok) return ask;
        const { code, limit } = ask.value;
        const refused = await this.doors.alarms.refusedSignatures(caller, {
          ...(code === undefined ? {} : { code }),
          ...(limit === undefined ? {} : { limit: Number(limit) }),
        });
        return ok({ refused });
      },
    );
  }
}
