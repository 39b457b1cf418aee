import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { standingSchema } from './account-requests.js';
import { AdminRoutes } from './admin-routes.js';

/** Everybody's accounts with us, for whoever looks after principals. A caller's own are in `list_accounts`. */
@Controller('v1/accounts')
export class AccountsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get()
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'accounts.list', async ({ accounts }, caller) =>
      ok({ accounts: await accounts.list(caller) }),
    );
  }

  @Post(':id/status')
  stand(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'accounts.hold', standingSchema, ({ accounts }, caller, asked) =>
      accounts.stand(caller, id, asked),
    );
  }
}
