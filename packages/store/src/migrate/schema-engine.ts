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

/** The part of the WebAssembly interface that is used; Node's types know it as a namespace only. */
interface WasmRuntime {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

// The package's JavaScript holds the one instance of the module that it talks to, so it is loaded once.
let loading: Promise<typeof Glue> | null = null

/**
 * Prisma's own schema engine (its migrate), as WebAssembly, on a database that the adapter stands for. The package has
 * no documented interface: it is used because `prisma migrate deploy` runs a binary that is downloaded at first use,
 * which an installation without the internet does not have, and which the container would have to bring along.
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
