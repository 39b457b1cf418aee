/** The text of a field and what sets it, as members of an input or a select. */
export const bindText = (value: string, set: (value: string) => void) => ({
  value,
  onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    set(currentTarget.value),
});
