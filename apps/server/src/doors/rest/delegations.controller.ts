import { Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import { delegationAsk, delegationSchema, ofPrincipalSchema, revokeSchema } from './delegation-requests.js';

/** What brands let this relay do, and where they send it. */
@Controller('v1')
export class DelegationsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('delegations')
  list(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'delegations.list', async (_admin, caller) => {
      const read = readRequest(ofPrincipalSchema, query);
      if (!read.ok) return read;
      const found = await this.doors.delegations.list(caller, read.value.principal_id);
      return found.ok ? ok({ delegations: found.value }) : found;
    });
  }

  @Post('delegations')
  grant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'delegations.grant', async (_admin, caller, body) => {
      const row = readRequest(delegationSchema, body);
      return row.ok ? this.doors.delegations.grant(caller, delegationAsk(row.value)) : row;
    });
  }

  @Delete('delegations/:id')
  revoke(
    @Param('id') id: string,
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'delegations.revoke', async (_admin, caller) => {
      const read = readRequest(revokeSchema, query);
      return read.ok ? this.doors.delegations.revoke(caller, id, read.value.reason) : read;
    });
  }

  @Get('relay/:seller/address')
  address(
    @Param('seller') seller: string,
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'delegations.list', async (_admin, caller) => {
      const read = readRequest(ofPrincipalSchema, query);
      return read.ok ? this.doors.delegations.address(caller, seller, read.value.principal_id) : read;
    });
  }
}
