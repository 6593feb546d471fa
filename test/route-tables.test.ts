import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@dexfeed/contract'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

// `npm test -- test/route-tables.test.ts -u` writes the tables and the list again.

interface Schema {
  $ref?: string
  type?: string | string[]
}
interface Operation {
  tags: string[]
  summary: string
  responses: object
}

const document = openApiDocument('0.0.0')
const schemas: Record<string, object> = document.components?.schemas ?? {}
const routes = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => {
    const { tags, summary, responses } = operation
    return {
      route: method === 'get' ? `\`${path}\`` : `\`${method.toUpperCase()} ${path}\``,
      path,
      tags,
      summary,
      responses,
    }
  }),
)

/** Returns the page with these rows in its first table below a heading. */
function withTable(page: string, heading: string, rows: readonly string[]): string {
  const [before = '', after = ''] = page.split(`\n## ${heading}\n`)
  const table = after.replace(/^(\|.*\n\| ---.*\n)(\|.*\n)*/m, (_, head) => `${head}${rows.join('\n')}\n`)
  return `${before}\n## ${heading}\n${table}`
}

/** Adds the names of the fields below a schema that are integers. */
function addIntegers(value: unknown, names: Set<string>, seen = new Set<string>()): void {
  if (typeof value !== 'object' || value === null) return
  const { $ref = '' } = value as Schema
  const name = $ref.split('/').at(-1) ?? ''
  if (seen.has(name)) return
  if (name !== '') addIntegers(schemas[name], names, seen.add(name))
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && [(inner as Schema | null)?.type].flat().includes('integer')) names.add(key)
    addIntegers(inner, names, seen)
  }
}

test('README.md lists every route', async () => {
  const file = join(projectRoot(), 'README.md')
  const tags = [...new Set(routes.flatMap((route) => route.tags))]
  const rows = tags.map((tag) => {
    const listed = routes.filter((route) => route.tags.includes(tag)).map(({ route }) => route)
    return `| ${tag} | ${listed.join(', ')} |`
  })
  await expect(withTable(readFileSync(file, 'utf8'), 'The API', rows)).toMatchFileSnapshot(file)
})

test('the guide lists every route with its summary, and the integers of /v1', async () => {
  const file = join(projectRoot(), 'docs/guide/api.md')
  const rows = routes.map(({ route, summary }) => `| ${route} | ${summary} |`)
  const integers = new Set<string>()
  for (const { path, responses } of routes) if (path.startsWith('/v1/')) addIntegers(responses, integers)
  const names = [...integers].sort().map((name) => `\`${name}\``)
  const page = withTable(readFileSync(file, 'utf8'), 'Routes', rows).replace(
    /^(- Integers of `\/v1`: ).*$/m,
    (_, start) => `${start}${names.join(', ')}.`,
  )
  await expect(page).toMatchFileSnapshot(file)
})
