import { isJsonObject, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { AnyRoute } from '../routes/route.js';

/*
 * Which routes an assistant gets as tools (docs/guides/assistants.md). Nothing is a tool by accident: a route stands here by
 * its id. The rest of a tool is its row: name, text, arguments, permission.
 */

export const toolsetNames = ['finance', 'admin'] as const;
export type ToolsetName = (typeof toolsetNames)[number];

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Reads are done at once; acts once a person has confirmed them. */
const offered: Readonly<Record<ToolsetName, { readonly reads: string; readonly acts: string }>> = {
  finance: {
    reads: `ledger_spend list_invoices show_invoice list_breaks show_break show_break_evidence list_periods show_period
      show_checklist list_accruals list_pacing list_payments show_payment_run show_aging list_disputes show_dispute
      show_client_aging show_margin list_rates list_limits list_approvals list_clients list_campaigns
      list_buys show_buy search`,
    acts: `resolve_break assign_break comment_break approve_invoice hold_invoice release_invoice open_dispute
      set_close_step`,
  },
  admin: {
    reads: `list_principals list_grants list_roles list_teams list_invitations list_audit list_sellers show_seller
      seller_scorecard list_alarms list_stops list_credentials list_keys list_events show_event
      list_outgoing_events show_outgoing_event list_jobs show_job list_approvals list_limits instance search`,
    acts: `suspend_seller resume_seller test_seller acknowledge_alarm set_stop end_stop resend_outgoing_event
      add_grant remove_grant`,
  },
};

/** A route as a tool. */
export interface Tool {
  readonly row: AnyRoute;
  /** A person confirms it before it is done. */
  readonly isAct: boolean;
  /** As `tools/list` has it. */
  readonly listed: JsonObject;
  /** Where each argument stands in the request of the route. */
  readonly places: ReadonlyMap<string, 'path' | 'query' | 'body'>;
}

/** The argument of every act: the same key is the same act. */
export const keyArgument = 'idempotency_key';

/** The tools of a toolset, in the order above. Throws if a row is missing or cannot be called with named arguments. */
export function toolsOf(name: ToolsetName, rows: readonly AnyRoute[]): ReadonlyMap<string, Tool> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const made = (id: string, isAct: boolean): [string, Tool] => {
    const row = byId.get(id);
    if (row === undefined) throw new TypeError(`The toolset ${name} has no route ${id}.`);
    return [id, toolOf(row, isAct)];
  };
  const { reads, acts } = offered[name];
  return new Map([...words(reads).map((id) => made(id, false)), ...words(acts).map((id) => made(id, true))]);
}

function toolOf(row: AnyRoute, isAct: boolean): Tool {
  const reads = row.method === 'get' || row.readsOnly === true;
  if (reads === isAct || row.takesBytes !== undefined || row.inParts === true || row.showsOnce === true)
    throw new TypeError(`${row.id} is no tool.`);
  const path = Array.from(row.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const parts = [
    ...path.map((name) => ['path', name, { type: 'string' }] as const),
    ...membersOf(row.query).map(([name, schema]) => ['query', name, schema] as const),
    ...membersOf(row.body).map(([name, schema]) => ['body', name, schema] as const),
  ];
  const places = new Map(parts.map(([place, name]) => [name, place]));
  if (places.size < parts.length || places.has(keyArgument))
    throw new TypeError(`Two arguments of ${row.id} have one name.`);
  const required = [...path, ...requiredOf(row.query), ...requiredOf(row.body)];
  return {
    row,
    isAct,
    places,
    listed: {
      name: row.id,
      title: row.summary,
      description: textOf(row, isAct, places),
      inputSchema: {
        type: 'object',
        properties: {
          ...Object.fromEntries(parts.map(([, name, schema]) => [name, schema])),
          ...(isAct && { [keyArgument]: keySchema }),
        },
        required: [...required, ...(isAct ? [keyArgument] : [])],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: reads,
        destructiveHint: isAct,
        idempotentHint: true,
        openWorldHint: row.id === 'test_seller',
      },
    },
  };
}

const keySchema = {
  type: 'string',
  description: 'A new UUID for each act; the same one to go on after it was confirmed.',
  minLength: 16,
  maxLength: 255,
  pattern: '^[A-Za-z0-9_.:-]+$',
};

function textOf(row: AnyRoute, isAct: boolean, places: Tool['places']): string {
  return [
    `${row.summary}.`,
    row.needs.includes('.') && `Needs the permission ${row.needs}.`,
    places.has('cursor') && 'Rows come in pages: call again with next_cursor as cursor.',
    isAct &&
      'A person confirms it in a browser before it is done: call it, give the person the address, call it again.',
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function schemaOf(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.type === 'string') delete jsonSchema.pattern;
    },
  }) as JsonObject;
}

function membersOf(schema: z.ZodType | undefined): readonly (readonly [string, JsonObject])[] {
  if (schema === undefined) return [];
  const { properties, $defs } = schemaOf(schema);
  if (!isJsonObject(properties) || $defs !== undefined)
    throw new TypeError('The members of a request of a tool are named, and their schemas refer to nothing.');
  return Object.entries(properties).flatMap(([name, member]) =>
    isJsonObject(member) ? [[name, member] as const] : [],
  );
}

function requiredOf(schema: z.ZodType | undefined): readonly string[] {
  const { required } = schema === undefined ? { required: [] } : schemaOf(schema);
  return Array.isArray(required) ? required.map(String) : [];
}
