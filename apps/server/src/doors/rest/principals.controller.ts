import { Controller, Delete, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import {
  identityDraft,
  identitySchema,
  principalDraft,
  principalSchema,
  principalTokenSchema,
  rotateAsk,
  rotateTokenSchema,
  tokenDraft,
} from './principal-requests.js';

/** Principals and what they show themselves with. A secret is in the answer that made it, and in no other. */
@Controller('v1')
export class PrincipalsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('principals')
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'principals.list', async (_admin, caller) =>
      ok({ principals: await this.doors.principalAdmin.list(caller) }),
    );
  }

  @Post('principals')
  add(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'principals.add', async (_admin, caller, body) => {
      const row = readRequest(principalSchema, body);
      return row.ok ? this.doors.principalAdmin.add(caller, principalDraft(row.value)) : row;
    });
  }

  @Post('principals/:name/tokens')
  addToken(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'tokens.mint', async (_admin, caller, body) => {
      const row = readRequest(principalTokenSchema, body);
      return row.ok ? this.doors.principalAdmin.addToken(caller, name, tokenDraft(row.value)) : row;
    });
  }

  @Post('principals/:name/rotate')
  rotate(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'principals.rotate', async (_admin, caller, body) => {
      const row = readRequest(rotateTokenSchema, body);
      return row.ok ? this.doors.principalAdmin.rotate(caller, name, rotateAsk(row.value)) : row;
    });
  }

  @Delete('principals/:name')
  revoke(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'principals.revoke', (_admin, caller) =>
      this.doors.principalAdmin.revoke(caller, name),
    );
  }

  @Delete('tokens/:id')
  revokeToken(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'principals.revoke', (_admin, caller) =>
      this.doors.principalAdmin.revokeToken(caller, id),
    );
  }

  @Post('principals/:name/identities')
  addIdentity(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'principals.add', async (_admin, caller, body) => {
      const row = readRequest(identitySchema, body);
      return row.ok ? this.doors.principalAdmin.addIdentity(caller, name, identityDraft(row.value)) : row;
    });
  }

  @Delete('identities/:id')
  removeIdentity(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'principals.revoke', (_admin, caller) =>
      this.doors.principalAdmin.removeIdentity(caller, id),
    );
  }
}
