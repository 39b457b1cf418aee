import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '@switchyard/values';
import { DOORS, type DoorsContext } from '../doors-context.js';
import {
  importSchema,
  rotateSchema,
  secretOf,
  sellerDraft,
  sellerSchema,
  settleSchema,
  verifyQuerySchema,
} from './admin-requests.js';
import { AdminRoutes } from './admin-routes.js';
import { answerMint } from './answer-mint.js';

/** What an operator does: the command line and the console stand behind these. */
@Controller('v1')
export class AdminController {
  constructor(
    @Inject(AdminRoutes) private readonly routes: AdminRoutes,
    @Inject(DOORS) private readonly doors: DoorsContext,
  ) {}

  @Get('instance')
  instance(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'sellers.list', async ({ admin }, caller) =>
      ok(await admin.instance(caller)),
    );
  }

  @Get('sellers')
  sellers(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'sellers.list', async ({ admin }, caller) =>
      ok({ sellers: await admin.listSellers(caller) }),
    );
  }

  @Post('sellers')
  addSeller(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'sellers.add', sellerSchema, ({ admin }, caller, asked) =>
      admin.addSeller(caller, sellerDraft(asked)),
    );
  }

  @Post('sellers/import')
  importSellers(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'sellers.import', importSchema, async ({ admin }, caller, asked) => {
      const done = await admin.importSellers(caller, asked.map(sellerDraft));
      return done.ok ? ok({ sellers: done.value }) : done;
    });
  }

  @Get('buys')
  buys(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'buys.list', async ({ admin }, caller) =>
      ok({ media_buys: await admin.listBuys(caller) }),
    );
  }

  @Get('buys/:id')
  buy(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'buys.list', ({ admin }, caller) => admin.showBuy(caller, id));
  }

  @Post('legs/:id/settle')
  settle(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'buys.settle', settleSchema, ({ admin }, caller, asked) => {
      const { outcome, reason, seller_buy: sellerBuyId } = asked;
      const named = sellerBuyId === undefined ? {} : { sellerBuyId };
      return admin.settleLeg(caller, { legId: id, outcome, reason, ...named });
    });
  }

  @Get('ledger/spend')
  spend(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'ledger.spend', async ({ admin }, caller) =>
      ok({ spend: await admin.ledgerSpend(caller) }),
    );
  }

  @Get('ledger/verify')
  verify(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.query(reply, 'ledger.verify', verifyQuerySchema, async ({ admin }, caller, asked) =>
      ok(await admin.ledgerVerify(caller, { fromStart: asked.from_start === 'true' })),
    );
  }

  @Get('ledger/entries/:id')
  entries(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'ledger.verify', async ({ admin }, caller) =>
      ok({ entries: await admin.ledgerEntries(caller, id) }),
    );
  }

  @Get('ledger/export')
  export(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'ledger.verify', async ({ admin }, caller) =>
      ok(await admin.ledgerExport(caller)),
    );
  }

  @Get('credentials')
  credentials(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'credentials.list', async ({ admin }, caller) =>
      ok({ credentials: await admin.listCredentials(caller) }),
    );
  }

  @Post('credentials/rewrap')
  rewrap(@Res() reply: FastifyReply): Promise<void> {
    return this.routes.plain(reply, 'credentials.rewrap', ({ admin }, caller) =>
      admin.rewrapCredentials(caller),
    );
  }

  @Post('credentials/:id/rotate')
  rotate(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    return this.routes.body(reply, 'credentials.rotate', rotateSchema, ({ admin }, caller, asked) =>
      admin.rotateCredential(caller, id, secretOf(asked.secret)),
    );
  }

  @Post('tokens')
  tokens(@Res() reply: FastifyReply): Promise<void> {
    return answerMint(reply, this.doors);
  }
}
