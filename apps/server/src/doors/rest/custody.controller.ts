import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import { custodyAsk, custodyQuerySchema, ofPrincipalSchema } from './delegation-requests.js';

/** The chains of custody: what was relayed in whose name, and what became of it. */
@Controller('v1/custody')
export class CustodyController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get()
  list(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'custody.read', async (_admin, caller) => {
      const read = readRequest(custodyQuerySchema, query);
      if (!read.ok) return read;
      const found = await this.doors.custody.list(caller, custodyAsk(read.value));
      return found.ok ? ok({ records: found.value }) : found;
    });
  }

  @Get('export')
  export(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'custody.read', async (_admin, caller) => {
      const read = readRequest(ofPrincipalSchema, query);
      return read.ok ? this.doors.custody.export(caller, read.value.principal_id) : read;
    });
  }

  @Get('verify')
  verify(
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'custody.read', async (_admin, caller) => {
      const read = readRequest(ofPrincipalSchema, query);
      return read.ok ? this.doors.custody.verify(caller, read.value.principal_id) : read;
    });
  }

  @Get(':id')
  show(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdmin(exchange, 'custody.read', (_admin, caller) => this.doors.custody.show(caller, id));
  }
}
