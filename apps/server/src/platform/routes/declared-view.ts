import { percentText } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { Field, Kind, List, ListedRow } from '@switchyard/store';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { instant } from './fields.js';

/** The schemas of members whose kind does not say them: `json`. */
export type Views = Readonly<Record<string, z.ZodType>>;

interface Schemas {
  readonly id: z.ZodString;
  readonly text: z.ZodString;
  readonly instant: typeof instant;
  readonly micros: z.ZodString;
  readonly hundredths: z.ZodString;
  readonly count: z.ZodInt;
  readonly flag: z.ZodBoolean;
}

type OfKind<K, View> = [View] extends [never] ? KindSchema<K> : View extends z.ZodType ? View : KindSchema<K>;

type KindSchema<K> = K extends readonly [string, ...string[]]
  ? z.ZodType<K[number]>
  : K extends keyof Schemas
    ? Schemas[K]
    : z.ZodType;

type OfField<F, View> = F extends { readonly kind: infer K; readonly none: 'absent' }
  ? z.ZodExactOptional<OfKind<K, View>>
  : F extends { readonly kind: infer K; readonly none: 'null' }
    ? z.ZodNullable<OfKind<K, View>>
    : F extends { readonly kind: infer K }
      ? OfKind<K, View>
      : never;

/** The schema of the rows of a list. */
export type ViewOf<L extends List, V extends Views> = z.ZodObject<
  {
    -readonly [Name in keyof L['fields']]: OfField<
      L['fields'][Name],
      Name extends keyof V ? V[Name] : undefined
    >;
  },
  z.core.$strict
>;

/** The schema of a row, under a name of its own in `/openapi.json`. */
export function viewSchema<const L extends List, const V extends Views>(
  noun: string,
  { fields }: L,
  views: V | undefined,
): ViewOf<L, V> {
  const members = Object.entries(fields).map(([name, field]) => [name, memberSchema(field, views?.[name])]);
  return z.strictObject(Object.fromEntries(members)).meta({ id: noun }) as ViewOf<L, V>;
}

function memberSchema({ kind, none, describe }: Field, view: z.ZodType | undefined): z.ZodType {
  const schema = view ?? kindSchema(kind);
  const whole = none === 'absent' ? z.exactOptional(schema) : none === 'null' ? z.nullable(schema) : schema;
  return describe === undefined ? whole : whole.describe(describe);
}

function kindSchema(kind: Kind): z.ZodType {
  if (typeof kind !== 'string') return z.enum(kind);
  switch (kind) {
    case 'instant':
      return instant;
    case 'count':
      return z.int();
    case 'flag':
      return z.boolean();
    case 'json':
      throw new TypeError('A member of JSON needs a schema.');
    default:
      return z.string();
  }
}

/** A row as callers see it. */
export function shownRow({ fields }: List, row: ListedRow): Readonly<Record<string, unknown>> {
  const members = Object.entries(fields).flatMap(([name, { kind, none }]) => {
    const value = row[name];
    const isNone = value === null || value === undefined || (value === '' && none !== undefined);
    if (isNone && none === 'absent') return [];
    return [[name, isNone ? null : shown(kind, value)] as const];
  });
  return Object.fromEntries(members);
}

function shown(kind: Kind, value: unknown): unknown {
  if (value instanceof Date) return isoOf(value.getTime());
  if (kind === 'micros') return microsToDecimal(BigInt(String(value)));
  return kind === 'hundredths' ? percentText(Number(value)) : value;
}
