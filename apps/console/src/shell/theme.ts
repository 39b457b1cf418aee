import { createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * Our own shades. A contrast of 4.5 to 1 (WCAG 2.2, 1.4.3) is met by white text on shades 7 and 8, by these as text on
 * white, and by shade 4, which the dark theme uses for outlines and their text, on its surfaces.
 */
const ink: MantineColorsTuple = [
  '#eef4fc',
  '#d9e6f7',
  '#b0caee',
  '#84ade4',
  '#5f94dc',
  '#3f7bcb',
  '#2c67b5',
  '#1d4f91',
  '#173f75',
  '#102f59',
];
const good: MantineColorsTuple = [
  '#e9f7ef',
  '#d2ecdd',
  '#a5d8bb',
  '#75c397',
  '#4eb27a',
  '#2c9a5f',
  '#1f7f4c',
  '#17683d',
  '#115230',
  '#0b3d23',
];
const bad: MantineColorsTuple = [
  '#fdeeee',
  '#f9d9d8',
  '#f0aeab',
  '#ed9893',
  '#e9807a',
  '#cf3c34',
  '#b72d26',
  '#99211b',
  '#7b1914',
  '#5e110d',
];
const warn: MantineColorsTuple = [
  '#fff6e5',
  '#fde9c4',
  '#f8d28a',
  '#f2b94c',
  '#e5a21f',
  '#c08209',
  '#946303',
  '#7a5102',
  '#604001',
  '#452d00',
];

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 8 },
  colors: { ink, good, bad, warn },
  autoContrast: true,
  luminanceThreshold: 0.36,
  defaultRadius: 'md',
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  cursorType: 'pointer',
  respectReducedMotion: true,
});
