import { useState } from 'react';

/** The texts that are typed into a form. `field` gives the properties of one input, `clear` empties them all. */
export function useTyped<Texts extends Readonly<Record<string, string>>>(nothing: Texts) {
  const [typed, setTyped] = useState<Texts>(nothing);
  return {
    typed,
    clear: () => setTyped(nothing),
    put: (texts: Partial<Texts>) => setTyped((old) => ({ ...old, ...texts })),
    field: (member: keyof Texts & string) => ({
      value: typed[member],
      onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
        setTyped((old) => ({ ...old, [member]: value })),
    }),
    /** The texts that are not empty, without blanks around them. */
    filled: (): Partial<Texts> =>
      Object.fromEntries(
        Object.entries(typed)
          .map(([name, text]) => [name, text.trim()] as const)
          .filter(([, text]) => text !== ''),
      ) as Partial<Texts>,
  };
}
