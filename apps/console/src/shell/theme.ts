import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/**
 * Our own shades. In the light theme shade 6 is filled and 7 is text on shade 0; in the dark theme shade 5 is filled, 4
 * marks, and 3 is text on shade 9. All texts have a contrast of 4.5 to 1 or more (WCAG 2.2, 1.4.3).
 */
const accent: MantineColorsTuple = [
  '#eceeff',
  '#dadeff',
  '#c0c6ff',
  '#a9b2ff',
  '#7f8af5',
  '#5b67ec',
  '#4450d6',
  '#3a44bd',
  '#2f3799',
  '#23284b',
];
const good: MantineColorsTuple = [
  '#e4f5ec',
  '#c5e8d5',
  '#9fdcba',
  '#72d6a2',
  '#3fb97c',
  '#1a8350',
  '#0f7a48',
  '#0b6139',
  '#0a4d2e',
  '#14301f',
];
const warn: MantineColorsTuple = [
  '#fdf1dc',
  '#f9e2b8',
  '#f5d28c',
  '#f1c069',
  '#e0a33a',
  '#9c6510',
  '#9a5b00',
  '#7a4700',
  '#5e3700',
  '#352708',
];
const bad: MantineColorsTuple = [
  '#fdebea',
  '#f9d3d1',
  '#fdb8b3',
  '#ff9f98',
  '#f0706a',
  '#d03f3b',
  '#c42b2b',
  '#a31f20',
  '#7e1819',
  '#3b1a1a',
];
/** From text to canvas: the kit draws its dark theme with these. */
const dark: MantineColorsTuple = [
  '#eceef2',
  '#d3d7de',
  '#b0b7c3',
  '#8f97a5',
  '#3a404c',
  '#272b34',
  '#1d2027',
  '#16181e',
  '#0f1115',
  '#0a0b0e',
];

const tones = { accent, good, warn, bad };

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { ...tones, dark },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '10px', lg: '12px', xl: '16px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontFamily: '"Inter Variable", system-ui, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '15px', xl: '21px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '22px', xl: '28px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '28px' },
      h2: { fontSize: '22px', lineHeight: '28px' },
      h3: { fontSize: '15px', lineHeight: '22px' },
      h4: { fontSize: '14px', lineHeight: '20px' },
      h5: { fontSize: '14px', lineHeight: '20px' },
      h6: { fontSize: '13px', lineHeight: '18px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Card: { defaultProps: { radius: 'md' } },
    Paper: { defaultProps: { radius: 'md' } },
    Modal: { defaultProps: { radius: 'lg' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});

/** `--sy-*` for our own styles, and the same values where the kit has names for them. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...surfaces('#f8f9fb', '#ffffff', '#f1f3f6', '#e5e8ed', '#cdd2db'),
    ...texts('#14171d', '#4a515d', '#626a77', accent[7]),
    ...series('#4450d6', '#1a8f9c', '#c2611f', '#7d5bb5', '#8a94a6'),
    ...allTones(7, 0, 6),
  },
  dark: {
    ...surfaces('#0f1115', '#16181e', '#1d2027', '#272b34', '#3a404c'),
    ...texts('#eceef2', '#b0b7c3', '#8f97a5', accent[3]),
    ...series('#7f8af5', '#3fb6c2', '#e6925a', '#ab8be0', '#7c8595'),
    ...allTones(3, 9, 4),
  },
});

const surfaces = (canvas: string, surface: string, sunken: string, line: string, strong: string) => ({
  '--sy-canvas': canvas,
  '--sy-surface': surface,
  '--sy-sunken': sunken,
  '--sy-line': line,
  '--sy-line-strong': strong,
  '--mantine-color-body': surface,
  '--mantine-color-default': surface,
  '--mantine-color-default-hover': sunken,
  '--mantine-color-default-border': strong,
});

const texts = (text: string, second: string, third: string, link: string) => ({
  '--sy-text': text,
  '--sy-text-2': second,
  '--sy-text-3': third,
  '--mantine-color-text': text,
  '--mantine-color-dimmed': second,
  '--mantine-color-placeholder': third,
  '--mantine-color-anchor': link,
});

const series = (...colors: readonly string[]): Record<string, string> =>
  Object.fromEntries(colors.map((color, at) => [`--sy-chart-${at + 1}`, color]));

/** The shades of all tones, by their places. */
const allTones = (text: 3 | 7, soft: 0 | 9, mark: 4 | 6): Record<string, string> =>
  Object.fromEntries<string>(
    Object.entries(tones).flatMap(([name, of]) => tone(name, of[text], of[soft], of[mark])),
  );

const tone = (
  name: string,
  text: string,
  soft: string,
  mark: string,
): readonly (readonly [string, string])[] => [
  [`--sy-${name}-text`, text],
  [`--sy-${name}-soft`, soft],
  [`--sy-${name}-mark`, mark],
  [`--mantine-color-${name}-text`, text],
  [`--mantine-color-${name}-light`, soft],
  [`--mantine-color-${name}-light-color`, text],
  [`--mantine-color-${name}-outline`, text],
];
