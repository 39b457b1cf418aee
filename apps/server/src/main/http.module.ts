import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
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
import { RECORD_ACT, type RecordAct } from '../platform/routes/record-act.js';
import { WrittenAnswers } from '../platform/routes/written-answers.js';
import { RelayController } from '../relay/relay.controller.js';
import { TasksController } from '../platform/rest/tasks.controller.js';
import { SessionController } from '../people/sign-in/session.controller.js';
import { UpstreamController } from '../people/sign-in/upstream.controller.js';
import { WebhooksController } from '../webhooks/in/webhooks.controller.js';

/** What the server serves beside its own endpoints. */
export interface Served {
  /** Records every admin act. */
  readonly recordAct: RecordAct;
  /** The modules with the admin routes. */
  readonly modules: NonNullable<ModuleMetadata['imports']>;
}

/** The endpoints and the admin routes, or only the health pages. Their dependencies are passed in. */
@Module({})
export class HttpModule {
  static behind(http: HttpContext, { recordAct, modules }: Served, healthOnly = false): DynamicModule {
    if (healthOnly)
      return {
        module: HttpModule,
        controllers: [HealthController],
        providers: [{ provide: HTTP_CONTEXT, useValue: http }],
      };
    const stage = [
      { provide: HTTP_CONTEXT, useValue: http },
      { provide: RECORD_ACT, useValue: recordAct },
      WrittenAnswers,
    ];
    return {
      module: HttpModule,
      global: true,
      imports: modules,
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
      providers: stage,
      exports: stage,
    };
  }
}
