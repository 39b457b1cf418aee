import react from '@vitejs/plugin-react';

/** Built to `dist`, and served by the server under `/console/`. The build passes the folder, and puts it in place whole. */
export default {
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  logLevel: 'error',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined, a file would be data that the policy of content refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
};
