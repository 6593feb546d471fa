import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type * as Glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'

const GLUE = '@prisma/schema-engine-wasm/schema_engine_bg'

/** Node's types declare it as a namespace only. */
interface WasmRuntime {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

// The package's JavaScript holds one instance of the module.
let loading: Promise<typeof Glue> | null = null

/**
 * Opens Prisma's schema engine as WebAssembly. Its interface is undocumented, but `prisma migrate deploy` downloads a
 * binary on first use, which fails without internet access.
 */
export async function openSchemaEngine(adapter: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> {
  loading ??= loadGlue()
  const { SchemaEngine } = await loading
  return SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter))
}

async function loadGlue(): Promise<typeof Glue> {
  const file = join(dirname(createRequire(import.meta.url).resolve(GLUE)), 'schema_engine_bg.wasm')
  const [glue, bytes] = await Promise.all([import(GLUE) as Promise<typeof Glue>, readFile(file)])
  const { WebAssembly: runtime } = globalThis as unknown as { WebAssembly: WasmRuntime }
  const { instance } = await runtime.instantiate(bytes, { './schema_engine_bg.js': { ...glue } })
  glue.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start === 'function') start()
  return glue
}
