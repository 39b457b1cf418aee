import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok, type JsonObject } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import {
  answerSchema,
  approvalFilter,
  approvalsQuerySchema,
  dismissApprovalSchema,
} from './approval-requests.js';

/** What sellers ask people for. */
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get()
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'approvals.list', approvalsQuerySchema, async (doors, caller, asked) =>
      ok({ approvals: await doors.approvals.list(caller, approvalFilter(asked)) }),
    );
  }

  @Post(':id/answer')
  answer(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'approvals.answer', answerSchema, ({ approvals }, caller, asked) =>
      approvals.answer(caller, id, asked.answer as JsonObject),
    );
  }

  @Post(':id/dismiss')
  dismiss(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(
      reply,
      'approvals.dismiss',
      dismissApprovalSchema,
      ({ approvals }, caller, asked) => approvals.dismiss(caller, id, asked.reason),
    );
  }
}
