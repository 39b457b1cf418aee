import { NativeSelect, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { Fragment, useState, type ReactNode } from 'react';
import { bindText } from './bind-text.js';
import { DateInput, isDay } from './date-input.js';
import { ScopeSelect } from './scope-select.js';
import { SellerSelect } from './seller-select.js';

/** One member of a form, and the input that shows it. */
export interface Asked<Value extends string = string, Needed extends boolean = boolean> {
  /** What it holds at first. */
  readonly first: Value;
  /** Whether the form waits for it. */
  readonly isNeeded: Needed;
  /** Whether a text that is not empty can be sent. */
  readonly fits?: (text: string) => boolean;
  /** What is sent of a text; without it, the text without blanks around it. */
  readonly read?: (text: string) => string;
  readonly show: (value: string, set: (value: string) => void, required: boolean) => ReactNode;
}

type Optional<Value extends string = string> = Asked<Value, false>;

interface TextMore
  extends
    Pick<TextInputProps, 'inputMode' | 'maxLength' | 'placeholder'>,
    Pick<Partial<Asked>, 'first' | 'fits' | 'read'> {}

/** A text of one line. */
export const text = (label: string, description?: string, more: TextMore = {}): Optional => {
  const { first = '', fits, read, ...input } = more;
  return {
    first,
    isNeeded: false,
    ...(fits !== undefined && { fits }),
    ...(read !== undefined && { read }),
    show: (value, set, required) => (
      <TextInput {...{ label, description, required }} {...input} {...bindText(value, set)} />
    ),
  };
};

/** A number with or without a fraction; the server reads it. */
export const decimal = (label: string, description?: string): Optional =>
  text(label, description, { inputMode: 'decimal' });

/** A currency by its code of ISO 4217. */
export const currency = (label: string, description: string, first = ''): Optional =>
  text(label, description, {
    first,
    maxLength: 3,
    fits: (code) => /^[a-z]{3}$/i.test(code),
    read: (code) => code.trim().toUpperCase(),
  });

/** A text of several lines. */
export const lines = (label: string, maxLength: number): Optional =>
  own((value, set) => (
    <Textarea
      label={label}
      autosize
      minRows={2}
      maxRows={10}
      maxLength={maxLength}
      {...bindText(value, set)}
    />
  ));

export const day = (label: string, description?: string): Optional => ({
  ...own((value, set, required) => (
    <DateInput
      {...{ label, value, required }}
      {...(description !== undefined && { description })}
      onChange={set}
    />
  )),
  fits: isDay,
});

/** One of a few values, each with its label. The first holds at first; the value `''` is none of them. */
export const choice = <Value extends string>(
  label: string,
  values: Readonly<Record<Value, string>>,
  description?: string,
): Asked<Value, '' extends Value ? false : true> => {
  const data = Object.entries<string>(values).map(([value, shown]) => ({ value, label: shown }));
  return {
    first: (data[0]?.value ?? '') as Value,
    isNeeded: !('' in values) as '' extends Value ? false : true,
    show: (value, set) => <NativeSelect {...{ label, description, data }} {...bindText(value, set)} />,
  };
};

/** A client by its name; `client:ID` as long as it is chosen, and its id when it is sent. */
export const client = (): Optional => ({
  ...own((value, set) => (
    <ScopeSelect
      label="Client"
      description="Type the beginning of a name."
      fixed={{}}
      parts={['client']}
      value={value}
      onChange={set}
    />
  )),
  read: (scope) => scope.replace('client:', ''),
});

/** A seller by its name. `none` is the label of no seller. */
export const seller = (more: {
  readonly label?: string;
  readonly description?: string;
  readonly none?: string;
}): Optional => own((value, set) => <SellerSelect {...more} value={value} onChange={set} />);

/** A member that is shown by an input of the caller's. */
export const own = (show: Asked['show'], first = ''): Optional => ({ first, isNeeded: false, show });

/** The same, and the form waits until it is filled. */
export const needed = <Value extends string>(asked: Asked<Value>): Asked<Value, true> => ({
  ...asked,
  isNeeded: true,
});

type Members = Readonly<Record<string, Asked>>;
type Values<Of extends Members> = { readonly [Name in keyof Of]: Of[Name]['first'] };
type NeededIn<Of extends Members> = {
  [Name in keyof Of]: Of[Name]['isNeeded'] extends true ? Name : never;
}[keyof Of];
type Filled<Of extends Members> = Pick<Values<Of>, NeededIn<Of>> & {
  readonly [Name in Exclude<keyof Of, NeededIn<Of>>]?: Exclude<Of[Name]['first'], ''>;
};

/**
 * The state of a form whose members are declared, named as in the request. `first` replaces what some hold at first.
 *
 * ```tsx
 * const asked = { amount: needed(decimal('Amount')), reference: text('Reference') };
 * const form = useForm(asked);
 * <ActForm isReady={form.isReady()} act={() => api('POST /v1/...', { body: form.filled() })}>{form.inputs()}</ActForm>
 * ```
 */
export function useForm<const Of extends Members>(asked: Of, first: Partial<Values<Of>> = {}) {
  type Name = keyof Of & string;
  const [changed, setChanged] = useState<Partial<Values<Of>>>({});
  const names = Object.keys(asked) as Name[];
  const typed = Object.fromEntries(
    names.map((name) => [name, changed[name] ?? first[name] ?? asked[name]?.first ?? '']),
  ) as Values<Of>;
  const readOf = (name: Name): string => asked[name]?.read?.(typed[name]) ?? typed[name].trim();
  const isFit = (name: Name): boolean => {
    const sent = readOf(name);
    return sent === '' ? asked[name]?.isNeeded !== true : (asked[name]?.fits?.(sent) ?? true);
  };
  return {
    typed,
    clear: () => setChanged({}),
    /** Whether the members, or those named, can be sent. */
    isReady: (of: readonly Name[] = names): boolean => of.every(isFit),
    /** The members of the request: those that are needed, and what else is not empty. */
    filled: (): Filled<Of> =>
      Object.fromEntries(
        names
          .map((name) => [name, readOf(name)] as const)
          .filter(([name, sent]) => sent !== '' || asked[name]?.isNeeded === true),
      ) as unknown as Filled<Of>,
    /** The inputs of the members, or of those named, in their order. */
    inputs: (of: readonly Name[] = names): ReactNode =>
      of.map((name) => (
        <Fragment key={name}>
          {asked[name]?.show(
            typed[name],
            (value) => setChanged((old) => ({ ...old, [name]: value })),
            asked[name].isNeeded,
          )}
        </Fragment>
      )),
  };
}
