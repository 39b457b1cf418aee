import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';

/**
 * Prisma's schema engine from its WebAssembly build, over a driver adapter. The package's own entry imports a .wasm
 * file as a module, which Node 20 does not do without a flag, so the module is instantiated here by hand.
 */
export async function loadSchemaEngine(schema, path, adapterFactory) {
  const require = createRequire(import.meta.url);
  const bindingsPath = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bindings = await import(bindingsPath);
  const bytes = readFileSync(join(dirname(bindingsPath), 'schema_engine_bg.wasm'));
  const { instance } = await globalThis.WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings.SchemaEngine.new(
    { datamodels: [[path, schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapterFactory),
  );
}
