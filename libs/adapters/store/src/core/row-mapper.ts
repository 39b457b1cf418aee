/** A row as `pg` returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a model as `pg` returns it: numbers of 64 bits are text. */
export type RowOf<Model> = {
  readonly [Column in keyof Model]: bigint extends Model[Column]
    ? string | Exclude<Model[Column], bigint>
    : Model[Column];
};

/** Columns that are null where a left join finds no row. */
export type OrNull<Columns> = { readonly [Name in keyof Columns]: Columns[Name] | null };

type Trimmed<Text extends string> = Text extends `${' ' | '\n'}${infer Rest}` ? Trimmed<Rest> : Text;
type ColumnOf<Columns extends string> = Columns extends `${infer One},${infer Rest}`
  ? Trimmed<One> | ColumnOf<Rest>
  : Trimmed<Columns>;
type MemberOf<Column extends string> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<MemberOf<Tail>>}`
  : Column;
type RequiredOf<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? never : Name }[keyof T];
/** Unknown if the columns are members of `T` and none that is required is missing; else what is wrong. */
type Checked<T, Member extends string> = [Exclude<Member, keyof T>, Exclude<RequiredOf<T>, Member>] extends [
  never,
  never,
]
  ? unknown
  : { readonly unknown: Exclude<Member, keyof T>; readonly missing: Exclude<RequiredOf<T>, Member> };

interface MappedColumn {
  readonly column: string;
  readonly member: string;
}

function mappedColumns(columns: string): readonly MappedColumn[] {
  return columns.split(',').map((text) => {
    const column = text.trim();
    return { column, member: column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) };
  });
}

/**
 * Declares the columns of a table that become members of `T`, and returns the reader of its rows. A member has the name
 * of its column in camel case. NULL is an absent member, a timestamp is an instant, and `..._micros` is a bigint. Other
 * columns of a row are left out.
 *
 * There are two calls because TypeScript infers all type parameters of a call or none.
 */
export function rowReader<T extends object>() {
  return <const Columns extends string>(
    columns: Columns & Checked<T, MemberOf<ColumnOf<Columns>>>,
  ): ((row: object) => T) => {
    const mapped = mappedColumns(columns);
    return (row) => {
      const read: Record<string, unknown> = {};
      for (const { column, member } of mapped) {
        const value = (row as Row)[column];
        if (value === null || value === undefined) continue;
        if (value instanceof Date) read[member] = value.getTime();
        else read[member] = column.endsWith('_micros') ? BigInt(value as string) : value;
      }
      return read as T;
    };
  };
}

/** The first day of year 1: a peer may name times of JavaScript that PostgreSQL does not have. It has all later ones. */
const earliest = Date.parse('0001-01-01T00:00:00Z');

/**
 * The reverse: the columns of a row from members of `T`. The member of `at` and `..._at` is an instant; one before year 1
 * is stored as its first day.
 */
export function rowWriter<T extends object>() {
  return <const Columns extends string>(
    columns: Columns & (MemberOf<ColumnOf<Columns>> extends keyof T ? unknown : never),
  ): ((entity: T) => Row) => {
    const mapped = mappedColumns(columns).map((one) => ({ ...one, isInstant: /(^|_)at$/.test(one.column) }));
    return (entity) => {
      const row: Record<string, unknown> = {};
      for (const { column, member, isInstant } of mapped) {
        const value = (entity as Row)[member];
        row[column] = isInstant && typeof value === 'number' ? new Date(Math.max(value, earliest)) : value;
      }
      return row;
    };
  };
}
