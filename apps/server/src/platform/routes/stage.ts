import {
  Catch,
  Inject,
  Injectable,
  SetMetadata,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type CallHandler,
  type PipeTransform,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { err, ok, type Result } from '@switchyard/values';
import {
  StartedJob,
  WaitsForApproval,
  WrittenAnswer,
  type AdminCaller,
  type AnyRoute,
  type CheckedRequest,
} from './route.js';
import { admittedOf, formOf } from './request-form.js';
import { ONCE_PER_KEY, RepeatedAnswer, type OncePerKey, type StageAnswer } from './once-per-key.js';
import { RECORD_ACT, type RecordAct } from './record-act.js';
import { WrittenAnswers } from './written-answers.js';
import type { AdminFailure } from '../failure.js';
import { whoCanGrant } from '../caller/permission-refusal.js';
import { authorizePermission, holdsAdminSecret } from '../http/access/auth.js';
import {
  refusal,
  sendAnswer,
  unexpectedFault,
  type HttpAnswer,
  type HttpFault,
} from '../http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';

/*
 * The stage of the admin routes, in Nest's order: the guard checks the permission first, so that a caller without it
 * learns nothing about the request's form; the interceptor records acts, so that no route can omit it, and sends the
 * answer; the pipe checks the request against the row's schemas; the filter sends refusals.
 */

const rowKey = Symbol('the row of a handler');

/** Marks the method of a controller with its row. */
export const OfRow = (row: AnyRoute) => SetMetadata(rowKey, row);

function rowOf(context: ExecutionContext): AnyRoute {
  return Reflect.getMetadata(rowKey, context.getHandler()) as AnyRoute;
}

/** Ends a request with a refusal. */
class Refused extends Error {
  constructor(readonly answer: HttpAnswer) {
    super('refused');
  }
}

/** Admits callers who hold the permission of the row. */
@Injectable()
export class RouteGuard implements CanActivate {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.admit(rowOf(context), request);
    if (!caller.ok) throw new Refused(caller.error);
    request.admitted = { caller: caller.value };
    return true;
  }

  private admit(route: AnyRoute, request: FastifyRequest): Promise<Result<AdminCaller, HttpAnswer>> {
    const isLocal = route.takesAdminSecret && holdsAdminSecret(request.raw.rawHeaders, this.http.adminSecret);
    return isLocal ? Promise.resolve(ok('local')) : authorizePermission(request, this.http, route);
  }
}

/** Gives a handler its request as the schemas of the row read it. */
export class FormPipe implements PipeTransform<FastifyRequest, Promise<CheckedRequest>> {
  constructor(private readonly row: AnyRoute) {}

  async transform(request: FastifyRequest): Promise<CheckedRequest> {
    const form = await formOf(this.row, request);
    if (!form.ok) throw new Refused(refusal(form.error));
    return form.value;
  }
}

/** Records acts around the handler's `Result`, and turns that into an answer. */
@Injectable()
export class RouteInterceptor implements NestInterceptor<StageAnswer> {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(RECORD_ACT) private readonly recordAct: RecordAct,
    @Inject(ONCE_PER_KEY) private readonly oncePerKey: OncePerKey,
    @Inject(WrittenAnswers) private readonly written: WrittenAnswers,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler<StageAnswer>): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const row = rowOf(context);
    const { caller } = admittedOf(request);
    const answer = await asAnswer(this.http, row.id, () => this.answer(row, request, caller, next));
    if (answer.status >= 400) throw new Refused(answer);
    if (row.inParts === true) return of(await this.send(row, reply, caller, answer));
    void reply.header('cache-control', 'no-store');
    const { body } = answer;
    if (body instanceof RepeatedAnswer) {
      void reply.header('idempotency-replayed', 'true').status(body.status);
      if (body.location !== undefined) void reply.header('location', body.location);
      return of(body.body);
    }
    if (body instanceof StartedJob) void reply.header('location', body.location);
    else if (!(body instanceof WaitsForApproval)) return of(body);
    void reply.status(202);
    return of(body.body());
  }

  /** Sends the answer of a row that writes in parts: Nest leaves its reply to us. */
  private async send(
    row: AnyRoute,
    reply: FastifyReply,
    caller: AdminCaller,
    answer: HttpAnswer,
  ): Promise<void> {
    if (!(answer.body instanceof WrittenAnswer)) return sendAnswer(reply, answer);
    const organizationId = caller === 'local' ? '' : caller.organizationId;
    return this.written.send(reply, answer.body, { organizationId, route: row.id });
  }

  private async answer(
    row: AnyRoute,
    request: FastifyRequest,
    caller: AdminCaller,
    next: CallHandler<StageAnswer>,
  ): Promise<StageAnswer> {
    // Read here and not only by the pipe, which runs behind the interceptor: a refused form is the result of an act too.
    const form = await formOf(row, request);
    const run = async (): Promise<StageAnswer> =>
      form.ok ? this.namingGrantors(await lastValueFrom(next.handle()), caller) : form;
    if (row.method === 'get' || row.readsOnly === true) return run();
    const params = request.params as Record<string, string>;
    const requestId = request.id;
    const act = (): Promise<StageAnswer> =>
      this.recordAct(row, { caller, params, ...(form.ok && form.value), requestId }, run);
    return form.ok ? this.oncePerKey(row, request, caller, act) : act();
  }

  /** A refusal for a missing permission names who can grant it, unless its handler gives a better hint. */
  private async namingGrantors(answer: StageAnswer, caller: AdminCaller): Promise<StageAnswer> {
    if (answer.ok || caller === 'local') return answer;
    const { error } = answer;
    if (error.code !== 'INSUFFICIENT_PERMISSIONS' || error.suggestion !== undefined) return answer;
    return err({ ...error, suggestion: await whoCanGrant(this.http.grants, caller) });
  }
}

/** Sends what the guard or the interceptor refused. */
@Catch(Refused)
export class RefusalFilter implements ExceptionFilter<Refused> {
  catch({ answer }: Refused, host: ArgumentsHost): void {
    sendAnswer(host.switchToHttp().getResponse<FastifyReply>(), answer);
  }
}

/** The application's result as an HTTP answer: its value unchanged, or its failure by the table of errors. */
export async function asAnswer(
  http: Pick<HttpContext, 'onUnexpected'>,
  where: string,
  query: () => Promise<StageAnswer>,
): Promise<HttpAnswer> {
  try {
    const answer = await query();
    return answer.ok ? { status: 200, body: answer.value } : refusal(faultOf(answer.error));
  } catch (error) {
    http.onUnexpected(error, where);
    return refusal(unexpectedFault(error));
  }
}

/** The table of errors treats CONFLICT as a concurrent change. A conflict of an admin route mostly stays. */
function faultOf(failure: AdminFailure | HttpFault): HttpFault {
  return failure.code === 'CONFLICT' ? { ...failure, recovery: failure.recovery ?? 'correctable' } : failure;
}
