import { Module, type DynamicModule } from '@nestjs/common';
import { business, BusinessModule } from '../business/business.module.js';
import { buys, BuysModule } from '../buys/buys.module.js';
import { CREATIVE_FOLDER } from '../creatives/creative-files.controller.js';
import { creatives, CreativesModule } from '../creatives/creatives.module.js';
import { ORGANIZATION_NAME } from '../finance/documents/verified-documents.controller.js';
import { finance, FinanceModule } from '../finance/finance.module.js';
import { keys, KeysModule } from '../keys/keys.module.js';
import { ledger, LedgerModule } from '../ledger/ledger.module.js';
import { notices, NoticesModule } from '../notices/notices.module.js';
import { people, PeopleModule } from '../people/people.module.js';
import { platform, PlatformModule } from '../platform/platform.module.js';
import { relay, RelayModule } from '../relay/relay.module.js';
import { CONSENTS } from '../sellers/oauth/consent.controller.js';
import { sellers, SellersModule } from '../sellers/sellers.module.js';
import { webhooks, WebhooksModule } from '../webhooks/webhooks.module.js';
import { controllerOf } from '../platform/routes/controller-of.js';
import { given, tokenOf } from '../platform/token.js';
import type { Kernel } from '../platform/kernel.js';
import { CLOCK, STORE } from '../platform/capability-tokens.js';
import type { RunRoute } from '../platform/routes/route.js';
import { adminRoutes, type RowDeps } from './routes.js';

/** The modules of all capabilities, with the dependencies of their rows. */
@Module({})
export class CapabilitiesModule {
  static on({ store, clock, audit }: Kernel, deps: RowDeps): DynamicModule {
    const providers = [
      given(STORE, store),
      given(CLOCK, clock),
      given(CONSENTS, { ...deps.sellers, audit }),
      business.on(deps.business),
      buys.on(deps.buys),
      creatives.on(deps.creatives),
      given(CREATIVE_FOLDER, deps.creatives.creativeFolder),
      finance.on(deps.finance),
      given(ORGANIZATION_NAME, deps.sellers),
      keys.on(deps.keys),
      ledger.on(deps.ledger),
      notices.on(deps.notices),
      people.on(deps.people),
      platform.on(deps.platform),
      relay.on(deps.relay),
      sellers.on(deps.sellers),
      webhooks.on(deps.webhooks),
    ];
    return {
      module: CapabilitiesModule,
      global: true,
      imports: [
        BusinessModule,
        BuysModule,
        CreativesModule,
        FinanceModule,
        KeysModule,
        LedgerModule,
        NoticesModule,
        PeopleModule,
        PlatformModule,
        RelayModule,
        SellersModule,
        WebhooksModule,
      ],
      providers,
      exports: providers,
    };
  }

  /** All rows, each answered by one function: for a server without capabilities. */
  static answeredBy(run: RunRoute): DynamicModule {
    const token = tokenOf<undefined>('nothing');
    const rows = adminRoutes.map((row) => ({
      ...row,
      handle: (_deps: undefined, request: Parameters<RunRoute>[1]) => run(row, request),
    }));
    return {
      module: CapabilitiesModule,
      controllers: [controllerOf('answered', token, rows)],
      providers: [{ provide: token, useValue: undefined }],
    };
  }
}
