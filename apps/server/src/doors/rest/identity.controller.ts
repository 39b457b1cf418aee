import { Controller, Delete, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import { readRequest } from './admin-requests.js';
import { rotateKeySchema, signerDraft, signerSchema } from './identity-requests.js';

/** Our own keys, and the agents that sign as our principals. */
@Controller('v1')
export class IdentityController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('keys')
  keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'keys.list', async (_admin, caller) =>
      ok({ keys: await this.doors.identity.listKeys(caller) }),
    );
  }

  @Post('keys/rotate')
  rotate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'keys.rotate', async (_admin, caller, body) => {
      const ask = readRequest(rotateKeySchema, body);
      if (!ask.ok) return ask;
      const { principal, kms_key_id: kmsKeyId } = ask.value;
      return this.doors.identity.rotateKey(caller, {
        ...(principal === undefined ? {} : { principal }),
        ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
      });
    });
  }

  @Get('signers')
  signers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'signers.list', async (_admin, caller) =>
      ok({ signers: await this.doors.identity.listSigners(caller) }),
    );
  }

  @Post('principals/:name/signers')
  addSigner(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'signers.add', async (_admin, caller, body) => {
      const row = readRequest(signerSchema, body);
      return row.ok ? this.doors.identity.addSigner(caller, name, signerDraft(row.value)) : row;
    });
  }

  @Delete('signers/:id')
  removeSigner(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'signers.remove', (_admin, caller) =>
      this.doors.identity.removeSigner(caller, id),
    );
  }
}
