import { PasswordInput } from '@mantine/core';

/** A password field that tells password managers whether the password is new. */
export function PasswordField({
  label,
  description,
  isNew = false,
  value,
  onChange,
}: {
  readonly label: string;
  readonly description?: string;
  readonly isNew?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <PasswordInput
      label={label}
      description={description}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': `Show the ${label.toLowerCase()}` }}
    />
  );
}
