import { Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerAdmin, answerAdminPost } from './admin-answer.js';
import {
  importSchema,
  readRequest,
  rotateSchema,
  secretOf,
  sellerDraft,
  sellerSchema,
  settleSchema,
} from './admin-requests.js';
import { answerMint } from './answer-mint.js';

/** What an operator does: the command line and the console stand behind these. */
@Controller('v1')
export class AdminController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('instance')
  instance(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'sellers.list', async (admin, caller) =>
      ok(await admin.instance(caller)),
    );
  }

  @Get('sellers')
  sellers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'sellers.list', async (admin, caller) =>
      ok({ sellers: await admin.listSellers(caller) }),
    );
  }

  @Post('sellers')
  addSeller(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'sellers.add',
      async (admin, caller, body) => {
        const row = readRequest(sellerSchema, body);
        return row.ok ? admin.addSeller(caller, sellerDraft(row.value)) : row;
      },
    );
  }

  @Post('sellers/import')
  importSellers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'sellers.import',
      async (admin, caller, body) => {
        const rows = readRequest(importSchema, body);
        if (!rows.ok) return rows;
        const done = await admin.importSellers(caller, rows.value.map(sellerDraft));
        return done.ok ? ok({ sellers: done.value }) : done;
      },
    );
  }

  @Get('buys')
  buys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'buys.list', async (admin, caller) =>
      ok({ media_buys: await admin.listBuys(caller) }),
    );
  }

  @Get('buys/:id')
  buy(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'buys.list', (admin, caller) =>
      admin.showBuy(caller, id),
    );
  }

  @Post('legs/:id/settle')
  settle(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = { request, reply, doors: this.doors };
    return answerAdminPost(exchange, 'buys.settle', async (admin, caller, body) => {
      const ask = readRequest(settleSchema, body);
      if (!ask.ok) return ask;
      const { outcome, reason, seller_buy: sellerBuyId } = ask.value;
      const named = sellerBuyId === undefined ? {} : { sellerBuyId };
      return admin.settleLeg(caller, { legId: id, outcome, reason, ...named });
    });
  }

  @Get('ledger/spend')
  spend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'ledger.spend', async (admin, caller) =>
      ok({ spend: await admin.ledgerSpend(caller) }),
    );
  }

  @Get('ledger/verify')
  verify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'ledger.verify', async (admin, caller) =>
      ok(await admin.ledgerVerify(caller)),
    );
  }

  @Get('credentials')
  credentials(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'credentials.list', async (admin, caller) =>
      ok({ credentials: await admin.listCredentials(caller) }),
    );
  }

  @Post('credentials/rewrap')
  rewrap(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdmin({ request, reply, doors: this.doors }, 'credentials.rewrap', (admin, caller) =>
      admin.rewrapCredentials(caller),
    );
  }

  @Post('credentials/:id/rotate')
  rotate(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerAdminPost(
      { request, reply, doors: this.doors },
      'credentials.rotate',
      async (admin, caller, body) => {
        const ask = readRequest(rotateSchema, body);
        return ask.ok ? admin.rotateCredential(caller, id, secretOf(ask.value.secret)) : ask;
      },
    );
  }

  @Post('tokens')
  tokens(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerMint(request, reply, this.doors);
  }
}
