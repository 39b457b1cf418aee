import { Module, type DynamicModule } from '@nestjs/common';
import { A2aController } from './a2a/a2a.controller.js';
import { HTTP_CONTEXT, type HttpContext } from './http-context.js';
import { HealthController } from './health.controller.js';
import {
  PublishedHeadsController,
  PublishedKeysController,
  ResourceMetadataController,
} from './published/published.controllers.js';
import { McpController } from './mcp/mcp.controller.js';
import { ChangesController } from './rest/changes.controller.js';
import { DocsController } from './rest/docs.controller.js';
import { RouteTable } from './rest/route-table.js';
import { RelayController } from './relay/relay.controller.js';
import { TasksController } from './rest/tasks.controller.js';
import { SessionController } from '../sign-in/session.controller.js';
import { UpstreamController } from '../sign-in/upstream/upstream.controller.js';
import { WebhooksController } from './webhooks.controller.js';

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
      providers: [{ provide: HTTP_CONTEXT, useValue: http }, RouteTable],
    };
  }
}
