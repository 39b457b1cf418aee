/** The names that a seller uses for its tasks. They are found when it is connected. */
export const dialects = [
  { value: 'adcp', label: 'AdCP' },
  { value: 'ads', label: 'ADS' },
] as const;
