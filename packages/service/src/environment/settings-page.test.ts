import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { projectRoot } from '../project-root.ts'
import { SECRETS } from './secret-files.ts'
import {
  API_VARIABLES,
  INDEXER_VARIABLES,
  LAKE_VARIABLES,
  NETWORK_VARIABLES,
  OPERATION_VARIABLES,
  STORAGE_VARIABLES,
  WASH_VARIABLES,
} from './variables.ts'

const TABLES: Record<string, Record<string, z.ZodType>> = {
  Networks: NETWORK_VARIABLES,
  Storage: STORAGE_VARIABLES,
  Indexer: INDEXER_VARIABLES,
  Lake: LAKE_VARIABLES,
  'Wash trading': WASH_VARIABLES,
  API: API_VARIABLES,
  Operation: OPERATION_VARIABLES,
}

/** Returns the rows of a table of settings. Variables that share one schema share a row. */
function tableOf(variables: Record<string, z.ZodType>): string {
  const names = Object.keys(variables)
  const rows = [...new Set(Object.values(variables))].map((schema) => {
    const own = names.filter((name) => variables[name] === schema)
    const { description = '', unset = '' } = schema.meta() ?? {}
    const value = schema.safeParse(undefined).data
    const fallback = value === undefined ? unset : `\`${typeof value === 'boolean' ? 'on' : value}\``
    const mark = own.some((name) => SECRETS.includes(name)) ? ' *' : ''
    return `| ${own.map((name) => `\`${name}\``).join(', ')}${mark} | ${fallback} | ${description} |`
  })
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Only `docker compose` reads these, so no schema describes them. */
const BACKFILL_RATES = NETWORK_NAMES.map((network) => `${network.toUpperCase()}_BACKFILL_RPC_RATE`)

// `npm test -- packages/service -u` rewrites the tables.
test('the tables of settings in the guide are those of the schemas', async () => {
  const file = join(projectRoot(), 'docs/guide/settings.md')
  const page = Object.entries(TABLES).reduce(
    (text, [heading, variables]) => {
      const [before = '', after = ''] = text.split(`\n## ${heading}\n`)
      return `${before}\n## ${heading}\n${after.replace(/^\| variable \|.*(\n\|.*)*/m, () => tableOf(variables))}`
    },
    readFileSync(file, 'utf8'),
  )
  const rates = BACKFILL_RATES.map((name) => `\`${name}\``).join(', ')
  await expect(page.replace(/^\|.*_BACKFILL_RPC_RATE` \|/m, `| ${rates} |`)).toMatchFileSnapshot(file)
})

test('.env.example shows every setting', () => {
  const shown = readFileSync(join(projectRoot(), '.env.example'), 'utf8')
  const names = [...Object.values(TABLES).flatMap((variables) => Object.keys(variables)), ...BACKFILL_RATES]
  const missing = names.filter((name) => !new RegExp(`^#? ?${name}=`, 'm').test(shown))
  expect(missing).toEqual([])
})
