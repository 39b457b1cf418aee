import {
  Controller,
  Delete,
  Get,
  HttpStatus,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitToken, hashOfScheme, isTokenText, type PrincipalDirectory } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import { turnBelongsTo } from '../../platform/http/admit.js';
import { HTTP_CONTEXT, type HttpContext } from '../../platform/http/http-context.js';
import { headerValues } from '../../platform/http/raw-headers.js';
import { readJson } from '../../platform/http/read-json.js';
import { tokenOf } from '../../platform/token.js';
import { faultBody, type ScimFault } from './scim-faults.js';
import {
  createGroup,
  createUser,
  listGroups,
  listUsers,
  patchGroup,
  patchUser,
  removeGroup,
  removeUser,
  replaceGroup,
  replaceUser,
  showGroup,
  showUser,
  type ScimCaller,
  type ScimDeps,
  type ScimPage,
} from './scim-service.js';
import {
  groupView,
  listView,
  resourceTypes,
  schemas,
  serviceProviderConfig,
  userView,
  versionIn,
  versionOf,
  type Described,
} from './scim-views.js';

export interface ScimPorts extends ScimDeps {
  readonly principals: Pick<PrincipalDirectory, 'findByTokenHash' | 'noteUse'>;
}

/** Nest's token of them. */
export const SCIM = tokenOf<ScimPorts>('scim');

const root = 'scim/v2';
/** The most bytes and members of a body: ten thousand members of a group fit. */
const bodyCap = { bytes: 1024 * 1024, members: 60_000 };

interface Sent {
  readonly status: number;
  readonly body?: object;
  readonly version?: string;
  readonly location?: string;
}

type Work = (caller: ScimCaller, base: string, body: JsonObject) => Promise<Result<Sent, ScimFault>>;

/** Provisioning of people and teams by SCIM 2.0 (RFC 7643, RFC 7644), with a token of its own kind. */
@Controller()
export class ScimController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(SCIM) private readonly ports: ScimPorts,
  ) {}

  @Get('scim/v2/ServiceProviderConfig')
  config(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply, (_caller, base) => shown(serviceProviderConfig(base)));
  }

  @Get('scim/v2/ResourceTypes')
  types(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply, (_caller, base) => whole(resourceTypes(base)));
  }

  @Get('scim/v2/ResourceTypes/:id')
  type(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    return this.answer(request, reply, (_caller, base) => oneOf(resourceTypes(base), id));
  }

  @Get('scim/v2/Schemas/:id')
  schema(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    return this.answer(request, reply, (_caller, base) => oneOf(schemas(base), id));
  }

  @Get('scim/v2/Schemas')
  schemas(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply, (_caller, base) => whole(schemas(base)));
  }

  @Get('scim/v2/Users')
  users(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = pageOf(request);
    return this.answer(request, reply, async (caller, base) => {
      const found = await listUsers(this.ports, caller, page);
      if (!found.ok) return found;
      const { rows, total } = found.value;
      return shown(
        listView(
          rows.map((user) => userView(base, user)),
          total,
          page.startIndex,
        ),
      );
    });
  }

  @Post('scim/v2/Users')
  addUser(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply, async (caller, base, body) =>
      userSent(base, await createUser(this.ports, caller, body), HttpStatus.CREATED),
    );
  }

  @Get('scim/v2/Users/:id')
  user(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    return this.answer(request, reply, async (caller, base) =>
      userSent(base, await showUser(this.ports, caller, id)),
    );
  }

  @Put('scim/v2/Users/:id')
  putUser(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.userChanged(request, reply, (caller, body) => replaceUser(this.ports, caller, id, body));
  }

  @Patch('scim/v2/Users/:id')
  patchUser(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.userChanged(request, reply, (caller, body) => patchUser(this.ports, caller, id, body));
  }

  @Delete('scim/v2/Users/:id')
  removeUser(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.answer(request, reply, async (caller) => {
      const removed = await removeUser(this.ports, caller, id);
      return removed.ok ? ok({ status: HttpStatus.NO_CONTENT }) : removed;
    });
  }

  @Get('scim/v2/Groups')
  groups(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = pageOf(request);
    return this.answer(request, reply, async (caller, base) => {
      const found = await listGroups(this.ports, caller, page);
      if (!found.ok) return found;
      const { rows, total } = found.value;
      // The members of many groups would be a large answer: the group itself has them.
      return shown(
        listView(
          rows.map((group) => groupView(base, group)),
          total,
          page.startIndex,
        ),
      );
    });
  }

  @Post('scim/v2/Groups')
  addGroup(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(request, reply, async (caller, base, body) =>
      this.groupSent(base, caller, await createGroup(this.ports, caller, body), HttpStatus.CREATED),
    );
  }

  @Get('scim/v2/Groups/:id')
  group(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const excluded = queryOf(request, 'excludedAttributes')?.toLowerCase().split(',') ?? [];
    return this.answer(request, reply, async (caller, base) => {
      const found = await showGroup(this.ports, caller, id);
      if (!found.ok || !excluded.includes('members')) return this.groupSent(base, caller, found);
      return shown(groupView(base, found.value), versionOf(found.value));
    });
  }

  @Put('scim/v2/Groups/:id')
  putGroup(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.groupChanged(request, reply, (caller, body) => replaceGroup(this.ports, caller, id, body));
  }

  @Patch('scim/v2/Groups/:id')
  patchGroup(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.groupChanged(request, reply, (caller, body) => patchGroup(this.ports, caller, id, body));
  }

  @Delete('scim/v2/Groups/:id')
  removeGroup(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    return this.answer(request, reply, async (caller) => {
      const removed = await removeGroup(this.ports, caller, id);
      return removed.ok ? ok({ status: HttpStatus.NO_CONTENT }) : removed;
    });
  }

  private async groupSent(
    base: string,
    caller: ScimCaller,
    group: Awaited<ReturnType<typeof showGroup>>,
    status: number = HttpStatus.OK,
  ): Promise<Result<Sent, ScimFault>> {
    if (!group.ok) return group;
    const body = groupView(base, group.value, await this.ports.scim.members(caller, group.value.id));
    return ok({ status, body, version: versionOf(group.value), location: body.meta.location });
  }

  private userChanged(
    request: FastifyRequest,
    reply: FastifyReply,
    change: (caller: ScimCaller, body: JsonObject) => ReturnType<typeof showUser>,
  ): Promise<void> {
    return this.answer(request, reply, async (caller, base, body) =>
      userSent(base, await change(caller, body)),
    );
  }

  private groupChanged(
    request: FastifyRequest,
    reply: FastifyReply,
    change: (caller: ScimCaller, body: JsonObject) => ReturnType<typeof showGroup>,
  ): Promise<void> {
    return this.answer(request, reply, async (caller, base, body) =>
      this.groupSent(base, caller, await change(caller, body)),
    );
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, work: Work): Promise<void> {
    const base = `${this.http.url()}/${root}`;
    const done = await this.done(request, base, work);
    if (!done.ok) {
      const { status, retryAfter } = done.error;
      if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
      if (status === 401) void reply.header('www-authenticate', 'Bearer');
      void reply
        .code(status)
        .header('content-type', mediaType)
        .send(JSON.stringify(faultBody(done.error)));
      return;
    }
    const { status, body, version, location } = done.value;
    if (version !== undefined) void reply.header('etag', version);
    if (location !== undefined) void reply.header('location', location);
    void reply.code(status).header('content-type', mediaType).header('cache-control', 'no-store');
    void reply.send(body === undefined ? '' : JSON.stringify(body));
  }

  private async done(request: FastifyRequest, base: string, work: Work): Promise<Result<Sent, ScimFault>> {
    const caller = await this.callerOf(request);
    if (!caller.ok) return caller;
    const takesBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
    const body = takesBody ? await bodyOf(request) : ok({});
    if (!body.ok) return body;
    try {
      return await work(caller.value, base, body.value);
    } catch (error) {
      this.http.onUnexpected(error, 'provisioning');
      return err({ status: 500, detail: 'The request failed. Send it again.' });
    }
  }

  /** Only a token that was made for provisioning opens this, and it opens nothing else. */
  private async callerOf(request: FastifyRequest): Promise<Result<ScimCaller, ScimFault>> {
    const { http, ports } = this;
    const [header = ''] = headerValues(request.raw.rawHeaders, 'authorization');
    const text = /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
    const match = isTokenText(text)
      ? await ports.principals.findByTokenHash(hashOfScheme('scim', text))
      : undefined;
    const admitted = admitToken(match, ports.clock.now());
    if (!admitted.ok || match === undefined) {
      const tooMany = http.rates.take(`address:${http.addressOf(request)}`, 'failure');
      return tooMany === undefined ? err(unauthorized) : err(slower(tooMany.retryAfter));
    }
    const { id: principalId, organizationId, name } = admitted.value;
    if (await http.isStopped(organizationId, 'organization', '')) return err(closed);
    turnBelongsTo(request, `${organizationId} ${principalId}`);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const refused = http.rates.take(`principal:${principalId}`, isRead ? 'read' : 'write');
    if (refused !== undefined) return err(slower(refused.retryAfter));
    await ports.principals.noteUse({ organizationId }, match.token.id, ports.clock.now());
    const over = replacedBy(request);
    return ok({ organizationId, principalId, name, requestId: request.id, ...over });
  }
}

/** The version that `If-Match` names. A text that is no version of ours is of no resource. */
function replacedBy(request: FastifyRequest): { readonly over?: number } {
  const wanted = request.headers['if-match'];
  if (wanted === undefined || wanted === '*') return {};
  return { over: versionIn(wanted) };
}

const mediaType = 'application/scim+json; charset=utf-8';
const unauthorized: ScimFault = {
  status: 401,
  detail: 'Send a token for provisioning that is not revoked: Authorization: Bearer.',
};
const closed: ScimFault = { status: 403, detail: 'The organization is closed and will be deleted.' };
const slower = (retryAfter: number): ScimFault => ({
  ...{ status: 429, detail: 'Too many requests: wait before you send the next.', retryAfter },
});

const shown = (body: object, version?: string): Promise<Result<Sent, ScimFault>> =>
  Promise.resolve(ok({ status: HttpStatus.OK, body, ...(version !== undefined && { version }) }));
/** One of what there is to read about this service (RFC 7644, 4). */
function oneOf(resources: readonly Described[], id: string): Promise<Result<Sent, ScimFault>> {
  const found = resources.find((one) => one.id === id);
  if (found !== undefined) return shown(found);
  return Promise.resolve(err({ status: 404, detail: 'There is no resource with this id.' }));
}
const whole = (resources: readonly object[]) => shown(listView(resources, resources.length, 1));

function userSent(
  base: string,
  user: Awaited<ReturnType<typeof showUser>>,
  status: number = HttpStatus.OK,
): Result<Sent, ScimFault> {
  if (!user.ok) return user;
  const body = userView(base, user.value);
  return ok({ status, body, version: versionOf(user.value), location: body.meta.location });
}

async function bodyOf(request: FastifyRequest): Promise<Result<JsonObject, ScimFault>> {
  const read = await readJson(request, bodyCap);
  if (!read.ok) {
    const { code, message } = read.error;
    const status = code === 'PAYLOAD_TOO_LARGE' ? 413 : code === 'UNSUPPORTED_MEDIA_TYPE' ? 415 : 400;
    return err({ status, detail: message, ...(status === 400 && { scimType: 'invalidSyntax' as const }) });
  }
  return isJsonObject(read.value.value)
    ? ok(read.value.value)
    : err({ status: 400, scimType: 'invalidSyntax', detail: 'The body must be an object.' });
}

function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** A wrong number counts as the nearest one (RFC 7644, 3.4.2.4). */
function pageOf(request: FastifyRequest): ScimPage {
  const number = (name: string, usual: number, from: number, to: number): number => {
    const value = Number(queryOf(request, name) ?? usual);
    return Number.isInteger(value) ? Math.min(Math.max(value, from), to) : usual;
  };
  const filter = queryOf(request, 'filter');
  return {
    ...(filter !== undefined && { filter }),
    startIndex: number('startIndex', 1, 1, 1_000_000),
    count: number('count', 100, 0, 200),
  };
}
