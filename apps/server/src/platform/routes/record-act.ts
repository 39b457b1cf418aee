import type { AuditLog } from '@switchyard/store';
import type { EventLog } from '@switchyard/telemetry';
import { isCredential } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import {
  defined,
  isJsonObject,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import { WaitsForApproval, type AnyRoute, type CheckedRequest } from './route.js';

/** A request to a route that changes something. A query or body that did not fit the schema of the route is absent. */
interface ActRequest extends Pick<CheckedRequest, 'caller' | 'params'> {
  readonly query?: unknown;
  readonly body?: unknown;
  readonly requestId?: string;
}

/** Runs an act and records it. The HTTP layer passes every request to a route other than GET. */
export type RecordAct = <Answer extends Result<unknown, { readonly code: string }>>(
  route: AnyRoute,
  request: ActRequest,
  run: () => Promise<Answer>,
) => Promise<Answer>;

/** Nest's token of the recorder of acts. */
export const RECORD_ACT = Symbol('RECORD_ACT');

interface RecordActDeps {
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly clock: Clock;
  /** The scope in which the holder of the data folder's admin secret acts. */
  readonly local: { readonly scope: TenantScope };
  readonly onUnexpected: (error: unknown, where: string) => void;
  readonly log?: EventLog;
}

/**
 * Records acts. The row is written before the act, so that no act is without a record: if it cannot be written, this
 * rejects and nothing was done. The result is written after the act. If that write fails, the row stays `begun` and the
 * answer is sent all the same, since the caller must know that the act was done.
 */
export function actRecorder({ audit, clock, local, onUnexpected, log }: RecordActDeps): RecordAct {
  return async (route, request, run) => {
    const { caller, params, requestId } = request;
    const scope = caller === 'local' ? local.scope : { organizationId: caller.organizationId };
    const kind = kindOf(route.path);
    const [[param, value] = []] = Object.entries(params);
    const id = await audit.begin(scope, {
      at: clock.now(),
      ...(caller !== 'local' && { actorId: caller.principalId }),
      actorName: caller === 'local' ? caller : caller.name,
      action: route.id,
      objectKind: kind,
      ...(value !== undefined && (param === 'id' ? { objectId: value } : { objectName: value })),
      detail: detailOf(route, request),
      ...(requestId !== undefined && { requestId }),
    });
    const began = clock.now();
    const end = (how: Omit<Parameters<AuditLog['end']>[2], 'endedAt'>): Promise<void> => {
      log?.('act', {
        organization: scope.organizationId,
        route: route.id,
        outcome: how.outcome,
        duration_ms: clock.now() - began,
        ...defined({
          code: how.code,
          object: param === 'id' ? value : undefined,
          principal: caller === 'local' ? undefined : caller.principalId,
          request_id: requestId,
        }),
      });
      return audit
        .end(scope, id, { ...how, endedAt: clock.now() })
        .catch((error: unknown) => onUnexpected(error, `the end of ${route.id} in the audit`));
    };
    try {
      const answer = await run();
      await end(
        answer.ok
          ? { outcome: 'ok', ...objectIn(kind, answer.value), ...markOf(answer.value) }
          : { outcome: 'refused', code: answer.error.code },
      );
      return answer;
    } catch (error) {
      await end({ outcome: 'failed' });
      throw error;
    }
  };
}

/** What the audit says of an act on a control: that it waits, or that nobody else could approve it. */
function markOf(answer: unknown): { readonly code?: string } {
  if (answer instanceof WaitsForApproval) return { code: 'WAITS_FOR_APPROVAL' };
  return isJsonObject(answer) && answer['alone'] === true ? { code: 'NOBODY_ELSE_COULD_APPROVE' } : {};
}

/** The kind of object of a route: `principal` of `/v1/principals/{name}/tokens`. */
function kindOf(path: string): string {
  const [, , noun = ''] = path.split('/');
  return noun.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Answer members that name an object: its name, or else its owner. */
const names = 'slug name domain kid number email label target principal seller period'.split(' ');

/** The object of an act, as the answer names it. A path has its id or its name; an answer may have both. */
function objectIn(kind: string, answer: unknown) {
  const value = isJsonObject(answer) ? answer : {};
  const text = (member: string): string | undefined =>
    typeof value[member] === 'string' ? value[member] : undefined;
  const objectId = text(`${kind}_id`);
  const objectName = names.map(text).find((item) => item !== undefined);
  return defined({ objectId, objectName });
}

/** Secret members whose names are not secret everywhere. */
const secretNames = /^(token|proof)$/;
const secretText = /^(sy_|eyJ[\w-]+\.|-----BEGIN|(bearer|basic) )|^https?:\/\/[^/]*@/i;
const longestText = 500;
const mostItems = 50;

/**
 * The declared members of the request, without those that take a secret or trust material: `left_out` lists the paths
 * of these.
 */
function detailOf(route: AnyRoute, { params, query, body }: ActRequest): JsonObject {
  const leftOut: string[] = [];
  const taken = new Set(route.secretsTaken?.map((path) => path.split('.').at(-1)));
  const isSecret = (name: string): boolean => taken.has(name) || secretNames.test(name) || isCredential(name);
  const read = (value: JsonValue, schema: JsonObject | undefined, at: string): JsonValue | undefined => {
    if (Array.isArray(value)) {
      const items = branches(schema).find((branch) => isJsonObject(branch['items']))?.['items'] as JsonObject;
      if (value.length > mostItems) leftOut.push(`${at}[${mostItems}...${value.length - 1}]`);
      const shown = value.slice(0, mostItems).map((item, index) => read(item, items, `${at}[${index}]`));
      return shown.filter((item) => item !== undefined);
    }
    if (isJsonObject(value)) {
      const members: Record<string, JsonValue> = {};
      for (const [name, member] of Object.entries(value)) {
        const path = at === '' ? name : `${at}.${name}`;
        const declared = memberIn(schema, name);
        const shown = declared === undefined || isSecret(name) ? undefined : read(member, declared, path);
        if (shown === undefined) leftOut.push(path);
        else members[name] = shown;
      }
      return members;
    }
    if (typeof value !== 'string') return value;
    return secretText.test(value) ? undefined : value.slice(0, longestText);
  };
  const requested = {
    ...(Object.keys(params).length > 0 && { path: params as JsonObject }),
    ...(query !== undefined && { query: read(query as JsonValue, jsonSchemaOf(route.query), '') ?? null }),
    ...(body !== undefined && { body: read(body as JsonValue, jsonSchemaOf(route.body), '') ?? null }),
  };
  return { ...requested, ...(leftOut.length > 0 && { left_out: leftOut.slice(0, mostItems) }) };
}

const schemas = new WeakMap<z.ZodType, JsonObject>();

/** The schema of the parsed value, made once. */
function jsonSchemaOf(schema: z.ZodType | undefined): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const made = withoutReferences(
    z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonObject,
  );
  schemas.set(schema, made);
  return made;
}

/** The same schema with what it refers to in place; one that refers to itself becomes an object that holds itself. */
function withoutReferences(whole: JsonObject): JsonObject {
  const named = isJsonObject(whole['$defs']) ? whole['$defs'] : {};
  const known = new Map<string, JsonObject>();
  const target = (reference: string): JsonObject => {
    const found = known.get(reference);
    if (found !== undefined) return found;
    const definition = reference === '#' ? whole : named[reference.replace(/^#\/\$defs\//, '')];
    const made: JsonObject = {};
    known.set(reference, made);
    return Object.assign(made, isJsonObject(definition) ? inPlace(definition) : {});
  };
  const inPlace = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (!isJsonObject(value)) return value;
    if (typeof value['$ref'] === 'string') return target(value['$ref']);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inPlace(inner)]));
  };
  return target('#');
}

/** A schema and its alternatives. */
function branches(schema: JsonObject | undefined): readonly JsonObject[] {
  if (schema === undefined) return [];
  const { anyOf, oneOf, allOf } = schema;
  const below = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...below.filter(isJsonObject).flatMap(branches)];
}

/** The schema of a member: as declared, or that of all additional members of a record. */
function memberIn(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  for (const { properties } of branches(schema)) {
    const found = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isJsonObject(found)) return found;
  }
  return branches(schema)
    .map(({ additionalProperties }) => additionalProperties)
    .filter(isJsonObject)
    .find((further) => Object.keys(further).length > 0);
}
