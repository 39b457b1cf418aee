import {
  Controller,
  createParamDecorator,
  Delete,
  Get,
  HttpCode,
  Inject,
  Post,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ExecutionContext,
  type Type,
  type ValueProvider,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.js';
import { tokenOf } from '../token.js';
import type { AnyRoute, CheckedRequest, Route, RouteAnswer } from './route.js';
import { FormPipe, OfRow, RefusalFilter, RouteGuard, RouteInterceptor } from './stage.js';

const verbs = { get: Get, post: Post, delete: Delete } as const;

const Requested = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>(),
);

/** The rows of a capability's nouns, with what its module needs of them. */
export interface Capability<Deps> {
  readonly name: string;
  readonly routes: readonly Route<Deps>[];
  readonly controllers: readonly Type<object>[];
  /**
   * The dependencies of the rows: what the process has opened, what the capability has made of it, and what its rows take
   * from others.
   */
  readonly deps: <Own>(kernel: Kernel, own: Own, others: Others<Deps, Own>) => Deps;
  /** Answers the row with this id without the stage of HTTP; undefined if the capability has none. */
  readonly answer: (deps: Deps, id: string, request: CheckedRequest) => Promise<RouteAnswer> | undefined;
  /** Provides the dependencies of the rows as they are. */
  readonly on: (deps: Deps) => ValueProvider<Deps>;
}

/**
 * What rows need beside the kernel and their own capability. What they can do without is named too: nothing is forgotten.
 */
type Others<Deps, Own> = Named<Omit<Deps, keyof Kernel | keyof Own | 'baseUrl'>>;
type Named<Part> = {
  [Name in keyof Part]-?: object extends Pick<Part, Name> ? Part[Name] | undefined : Part[Name];
};

type DepsOfRows<Rows> = Rows extends readonly Route<infer Deps>[] ? (deps: Deps) => void : never;

/** The intersection of the dependencies that nouns name. */
type DepsOfNouns<Nouns> = DepsOfRows<Nouns[keyof Nouns]> extends (deps: infer Deps) => void ? Deps : never;

/** The dependencies of a capability's rows. */
export type DepsOf<Item> = Item extends Capability<infer Deps> ? Deps : never;

/** Makes the controllers of a capability, one for each noun. */
export function capabilityOf<const Nouns extends Readonly<Record<string, readonly AnyRoute[]>>>(
  name: string,
  nouns: Nouns,
): Capability<DepsOfNouns<Nouns>>;
export function capabilityOf<Deps>(
  name: string,
  nouns: Readonly<Record<string, readonly Route<Deps>[]>>,
): Capability<Deps> {
  const token = tokenOf<Deps>(`dependencies of ${name}`);
  const routes = Object.values(nouns).flat();
  return {
    name,
    routes,
    controllers: Object.entries(nouns).map(([noun, rows]) => controllerOf(noun, token, rows)),
    // The compiler knows the parts of `Deps`, and not that they are all of them.
    deps: (kernel, own, others) => ({ ...kernel, baseUrl: kernel.url, ...own, ...others }) as Deps,
    answer: (deps, id, request) => routes.find((one) => one.id === id)?.handle(deps, request),
    on: (deps) => ({ provide: token, useValue: deps }),
  };
}

/**
 * Nest's controller of the rows of a noun, behind the stage of `stage.ts`: a method for each row, named by its id. Its
 * constructor takes the dependencies of the rows, which the module of the capability provides by `token`.
 */
export function controllerOf<Deps>(name: string, token: symbol, rows: readonly Route<Deps>[]): Type<object> {
  class RouteController {
    constructor(readonly deps: Deps) {}
  }
  Object.defineProperty(RouteController, 'name', { value: `${name}Controller` });
  Inject(token)(RouteController, undefined, 0);
  Controller()(RouteController);
  UseGuards(RouteGuard)(RouteController);
  UseInterceptors(RouteInterceptor)(RouteController);
  UseFilters(RefusalFilter)(RouteController);
  for (const row of rows) addMethod(RouteController.prototype, row);
  return RouteController;
}

function addMethod<Deps>(prototype: { readonly deps: Deps }, row: Route<Deps>): void {
  const method = {
    configurable: true,
    value(this: { readonly deps: Deps }, request: CheckedRequest): Promise<RouteAnswer> {
      return row.handle(this.deps, request);
    },
  };
  Object.defineProperty(prototype, row.id, method);
  Requested(new FormPipe(row))(prototype, row.id, 0);
  if (row.inParts === true) Res()(prototype, row.id, 1);
  const decorators = [
    verbs[row.method](row.path.replaceAll(/\{(\w+)\}/g, ':$1')),
    HttpCode(row.status ?? 200),
    OfRow(row),
    ...(row.takesBytes === undefined ? [] : [RouteConfig({ bodyLimit: row.takesBytes })]),
  ];
  for (const decorate of decorators) decorate(prototype, row.id, method);
}
