import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok, type JsonObject } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import {
  answerSchema,
  approvalFilter,
  approvalsQuerySchema,
  dismissApprovalSchema,
} from './approval-requests.js';

/** What sellers ask people for. */
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get()
  list(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'approvals.list', async (_admin, caller) => {
      const filter = readRequest(approvalsQuerySchema, query);
      if (!filter.ok) return filter;
      return ok({ approvals: await this.doors.approvals.list(caller, approvalFilter(filter.value)) });
    });
  }

  @Post(':id/answer')
  answer(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'approvals.answer',
      async (_admin, caller, body) => {
        const ask = readRequest(answerSchema, body);
        return ask.ok ? this.doors.approvals.answer(caller, id, ask.value.answer as JsonObject) : ask;
      },
    );
  }

  @Post(':id/dismiss')
  dismiss(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'approvals.dismiss',
      async (_admin, caller, body) => {
        const ask = readRequest(dismissApprovalSchema, body);
        return ask.ok ? this.doors.approvals.dismiss(caller, id, ask.value.reason) : ask;
      },
    );
  }
}
