import react from '@vitejs/plugin-react';

/** The first text is drawn with its own font: the file of Latin letters is requested with the document. */
const preloadFont = {
  name: 'preload-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: '',
            href: `/console/${name}`,
          },
          injectTo: 'head',
        })),
  },
};

const unused = 'grape|violet|cyan|teal|lime|pink|orange|indigo|yellow|green';
const shades = new RegExp(`--mantine-color-(?:${unused})-[\\w-]+:[^;}]+;?`, 'g');

/** The kit declares each shade of each of its colors; `styles.spec.ts` proves that no page names one of these. */
const dropUnusedColors = {
  name: 'drop-unused-colors',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('default-css-variables.css') ? { code: code.replaceAll(shades, ''), map: null } : undefined,
};

/** Built to `dist`, and served by the server under `/console/`. The build passes the folder, and puts it in place whole. */
export default {
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), preloadFont, dropUnusedColors],
  logLevel: 'error',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The first with light-dark(), which our monograms use.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // Inlined, a file would be data that the policy of content refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
};
