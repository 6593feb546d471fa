import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@dexfeed/contract'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

// `npm test -- test/route-tables.test.ts -u` updates the tables.

interface Operation {
  tags: string[]
  summary: string
}

const routes = Object.entries(openApiDocument('0.0.0').paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, { tags, summary }]) => ({
    route: method === 'get' ? `\`${path}\`` : `\`${method.toUpperCase()} ${path}\``,
    tags,
    summary,
  })),
)

function withTable(page: string, heading: string, rows: readonly string[]): string {
  const [before = '', after = ''] = page.split(`\n## ${heading}\n`)
  const table = after.replace(/^(\|.*\n\| ---.*\n)(\|.*\n)*/m, (_, head) => `${head}${rows.join('\n')}\n`)
  return `${before}\n## ${heading}\n${table}`
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

test('the guide lists every route with its summary', async () => {
  const file = join(projectRoot(), 'docs/guide/api.md')
  const rows = routes.map(({ route, summary }) => `| ${route} | ${summary} |`)
  await expect(withTable(readFileSync(file, 'utf8'), 'Routes', rows)).toMatchFileSnapshot(file)
})
