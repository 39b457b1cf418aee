import { Module, type DynamicModule } from '@nestjs/common';
import { A2aController } from '../platform/a2a/a2a.controller.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { HealthController } from '../platform/http/health.controller.js';
import { PUBLISHED_KEYS, PublishedKeysController } from '../keys/published-keys.controller.js';
import { PUBLISHED_HEADS, PublishedHeadsController } from '../ledger/published-heads.controller.js';
import { ResourceMetadataController } from '../platform/http/resource-metadata.controller.js';
import { SIGN_IN } from '../people/sign-in/sessions.js';
import type { Served, ServerPorts } from './server-ports.js';
import { McpController } from '../platform/mcp/mcp.controller.js';
import { TOOLSETS } from '../platform/assistants/answer-toolset.js';
import { ToolsetController } from '../platform/assistants/toolset.controller.js';
import { adminRoutes } from './routes.js';
import { CHANGES, ChangesController } from '../platform/routes/changes.controller.js';
import { DocsController } from './docs.controller.js';
import { ONCE_PER_KEY } from '../platform/routes/once-per-key.js';
import { RECORD_ACT } from '../platform/routes/record-act.js';
import { WrittenAnswers } from '../platform/routes/written-answers.js';
import { RELAY, RelayController } from '../relay/relay.controller.js';
import { TasksController } from '../platform/rest/tasks.controller.js';
import { SessionController } from '../people/sign-in/session.controller.js';
import { UpstreamController } from '../people/sign-in/upstream.controller.js';
import { SCIM, ScimController } from '../people/scim/scim.controller.js';
import { WEBHOOKS, WebhooksController } from '../webhooks/in/webhooks.controller.js';

/** The endpoints and the admin routes, or only the health pages. Their dependencies are passed in. */
@Module({})
export class HttpModule {
  static behind(
    http: HttpContext,
    { recordAct, oncePerKey, modules, ports }: Served & { readonly ports: ServerPorts },
    healthOnly = false,
  ): DynamicModule {
    if (healthOnly)
      return {
        module: HttpModule,
        controllers: [HealthController],
        providers: [{ provide: HTTP_CONTEXT, useValue: http }],
      };
    const stage = [
      { provide: HTTP_CONTEXT, useValue: http },
      { provide: RECORD_ACT, useValue: recordAct },
      { provide: ONCE_PER_KEY, useValue: oncePerKey },
      WrittenAnswers,
    ];
    return {
      module: HttpModule,
      global: true,
      imports: modules,
      controllers: [
        McpController,
        ToolsetController,
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
        ScimController,
      ],
      providers: [
        ...stage,
        { provide: CHANGES, useValue: ports.changes },
        { provide: WEBHOOKS, useValue: ports.webhooks },
        {
          provide: TOOLSETS,
          useValue: { rows: adminRoutes, acts: ports.assistantActs, clock: ports.clock },
        },
        { provide: RELAY, useValue: ports.relay },
        { provide: PUBLISHED_KEYS, useValue: ports.publishedKeys },
        { provide: PUBLISHED_HEADS, useValue: ports.publishedHeads },
        { provide: SCIM, useValue: ports.scim },
        { provide: SIGN_IN, useValue: { ...http, ...ports } },
      ],
      exports: stage,
    };
  }
}
