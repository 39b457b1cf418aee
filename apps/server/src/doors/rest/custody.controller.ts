import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import { custodyAsk, custodyQuerySchema, ofPrincipalSchema } from './delegation-requests.js';

/** The chains of custody: what was relayed in whose name, and what became of it. */
@Controller('v1/custody')
export class CustodyController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get()
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(
      reply,
      'custody.read',
      custodyQuerySchema,
      async ({ custody }, caller, asked) => {
        const found = await custody.list(caller, custodyAsk(asked));
        return found.ok ? ok({ records: found.value }) : found;
      },
    );
  }

  @Get('export')
  export(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'custody.read', ofPrincipalSchema, ({ custody }, caller, asked) =>
      custody.export(caller, asked.principal_id),
    );
  }

  @Get('verify')
  verify(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'custody.read', ofPrincipalSchema, ({ custody }, caller, asked) =>
      custody.verify(caller, asked.principal_id),
    );
  }

  @Get(':id')
  show(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'custody.read', ({ custody }, caller) => custody.show(caller, id));
  }
}
