import { Module, type DynamicModule } from '@nestjs/common';
import { A2aController } from './a2a/a2a.controller.js';
import { DOORS, type HttpContext } from './http-context.js';
import { HealthController } from './health.controller.js';
import { PublishedKeysController } from './published-keys.controller.js';
import { ResourceMetadataController } from './resource-metadata.controller.js';
import { IdentityController } from './rest/identity.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { AdminRoutes } from './rest/admin-routes.js';
import { DocsController } from './rest/docs.controller.js';
import { RouteTable } from './rest/route-table.js';
import { PrincipalsController } from './rest/principals.controller.js';
import { RelayController } from './relay/relay.controller.js';
import { TasksController } from './rest/tasks.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** All doors, or the pages of health alone. What stands behind them is passed in. */
@Module({})
export class HttpModule {
  static behind(doors: HttpContext, healthOnly = false): DynamicModule {
    if (healthOnly)
      return {
        module: HttpModule,
        controllers: [HealthController],
        providers: [{ provide: DOORS, useValue: doors }],
      };
    return {
      module: HttpModule,
      controllers: [
        McpController,
        A2aController,
        TasksController,
        DocsController,
        WebhooksController,
        HealthController,
        IdentityController,
        PrincipalsController,
        PublishedKeysController,
        ResourceMetadataController,
        RelayController,
      ],
      providers: [{ provide: DOORS, useValue: doors }, AdminRoutes, RouteTable],
    };
  }
}
