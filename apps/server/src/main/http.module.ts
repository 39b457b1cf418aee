import { Module, type DynamicModule } from '@nestjs/common';
import { A2aController } from '../platform/a2a/a2a.controller.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { HealthController } from '../platform/http/health.controller.js';
import {
  PublishedHeadsController,
  PublishedKeysController,
  ResourceMetadataController,
} from '../keys/published.controllers.js';
import { McpController } from '../platform/mcp/mcp.controller.js';
import { ChangesController } from '../platform/routes/changes.controller.js';
import { DocsController } from './docs.controller.js';
import { ADMIN_ROUTES, RouteTable } from '../platform/routes/route-table.js';
import { adminRoutes } from './routes.js';
import { RelayController } from '../relay/relay.controller.js';
import { TasksController } from '../platform/rest/tasks.controller.js';
import { SessionController } from '../people/sign-in/session.controller.js';
import { UpstreamController } from '../people/sign-in/upstream.controller.js';
import { WebhooksController } from '../webhooks/in/webhooks.controller.js';

/** All controllers, or only the health pages. Their dependencies are passed in. */
@Module({})
export class HttpModule {
  static behind(http: HttpContext, healthOnly = false): DynamicModule {
    if (healthOnly)
      return {
        module: HttpModule,
        controllers: [HealthController],
        providers: [{ provide: HTTP_CONTEXT, useValue: http }],
      };
    return {
      module: HttpModule,
      controllers: [
        McpController,
        A2aController,
        ChangesController,
        TasksController,
        DocsController,
        WebhooksController,
        HealthController,
        PublishedHeadsController,
        PublishedKeysController,
        ResourceMetadataController,
        RelayController,
        SessionController,
        UpstreamController,
      ],
      providers: [
        { provide: HTTP_CONTEXT, useValue: http },
        { provide: ADMIN_ROUTES, useValue: adminRoutes },
        RouteTable,
      ],
    };
  }
}
