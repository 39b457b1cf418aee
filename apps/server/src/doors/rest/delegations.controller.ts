import { Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import { delegationAsk, delegationSchema, ofPrincipalSchema, revokeSchema } from './delegation-requests.js';

/** What brands let this relay do, and where they send it. */
@Controller('v1')
export class DelegationsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get('delegations')
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(
      reply,
      'delegations.list',
      ofPrincipalSchema,
      async ({ delegations }, caller, asked) => {
        const found = await delegations.list(caller, asked.principal_id);
        return found.ok ? ok({ delegations: found.value }) : found;
      },
    );
  }

  @Post('delegations')
  grant(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'delegations.grant', delegationSchema, ({ delegations }, caller, asked) =>
      delegations.grant(caller, delegationAsk(asked)),
    );
  }

  @Delete('delegations/:id')
  revoke(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'delegations.revoke', revokeSchema, ({ delegations }, caller, asked) =>
      delegations.revoke(caller, id, asked.reason),
    );
  }

  @Get('relay/:seller/address')
  address(@Param('seller') seller: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'delegations.list', ofPrincipalSchema, ({ delegations }, caller, asked) =>
      delegations.address(caller, seller, asked.principal_id),
    );
  }
}
