import { Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import {
  identityDraft,
  identitySchema,
  principalDraft,
  principalSchema,
  principalTokenSchema,
  rotateRequest,
  rotateTokenSchema,
  tokenDraft,
} from './principal-requests.js';

/** Principals and what they show themselves with. A secret is in the answer that made it, and in no other. */
@Controller('v1')
export class PrincipalsController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get('principals')
  list(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'principals.list', async ({ principalAdmin }, caller) =>
      ok({ principals: await principalAdmin.list(caller) }),
    );
  }

  @Post('principals')
  add(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(
      reply,
      'principals.add',
      principalSchema,
      ({ principalAdmin }, caller, requested) => principalAdmin.add(caller, principalDraft(requested)),
    );
  }

  @Post('principals/:name/tokens')
  addToken(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(
      reply,
      'tokens.mint',
      principalTokenSchema,
      ({ principalAdmin }, caller, requested) => principalAdmin.addToken(caller, name, tokenDraft(requested)),
    );
  }

  @Post('principals/:name/rotate')
  rotate(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(
      reply,
      'principals.rotate',
      rotateTokenSchema,
      ({ principalAdmin }, caller, requested) =>
        principalAdmin.rotate(caller, name, rotateRequest(requested)),
    );
  }

  @Delete('principals/:name')
  revoke(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'principals.revoke', ({ principalAdmin }, caller) =>
      principalAdmin.revoke(caller, name),
    );
  }

  @Delete('tokens/:id')
  revokeToken(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'principals.revoke', ({ principalAdmin }, caller) =>
      principalAdmin.revokeToken(caller, id),
    );
  }

  @Post('principals/:name/identities')
  addIdentity(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(
      reply,
      'principals.add',
      identitySchema,
      ({ principalAdmin }, caller, requested) =>
        principalAdmin.addIdentity(caller, name, identityDraft(requested)),
    );
  }

  @Delete('identities/:id')
  removeIdentity(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'principals.revoke', ({ principalAdmin }, caller) =>
      principalAdmin.removeIdentity(caller, id),
    );
  }
}
