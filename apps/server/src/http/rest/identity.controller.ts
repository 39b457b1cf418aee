import { Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { AdminRoutes } from './admin-routes.js';
import { rotateKeySchema, signerDraft, signerSchema } from './identity-requests.js';

/** Our own keys, and the agents that sign as our principals. */
@Controller('v1')
export class IdentityController {
  constructor(@Inject(AdminRoutes) private readonly routes: AdminRoutes) {}

  @Get('keys')
  keys(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'keys.list', async ({ identity }, caller) =>
      ok({ keys: await identity.listKeys(caller) }),
    );
  }

  @Post('keys/rotate')
  rotate(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'keys.rotate', rotateKeySchema, ({ identity }, caller, requested) => {
      const { principal, kms_key_id: kmsKeyId } = requested;
      return identity.rotateKey(caller, {
        ...(principal === undefined ? {} : { principal }),
        ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
      });
    });
  }

  @Get('signers')
  signers(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'signers.list', async ({ identity }, caller) =>
      ok({ signers: await identity.listSigners(caller) }),
    );
  }

  @Post('principals/:name/signers')
  addSigner(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'signers.add', signerSchema, ({ identity }, caller, requested) =>
      identity.addSigner(caller, name, signerDraft(requested)),
    );
  }

  @Delete('signers/:id')
  removeSigner(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'signers.remove', ({ identity }, caller) =>
      identity.removeSigner(caller, id),
    );
  }
}
