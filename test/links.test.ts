import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

const root = projectRoot()
const files = filesIn('')
const pages = files.filter((path) => path.endsWith('.md'))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const INVENTED = 'my-dex/'

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (/^\.|^(node_modules|dist)$/.test(entry.name)) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

const anchorOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchorsOf = (path: string) =>
  new Set([...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)))

test.each(pages)('the links of %s lead to files and headings that exist', (page) => {
  const text = read(page)
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, '')
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, file))) return [link]
    return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [link]
  })
  expect(broken).toEqual([])
})

const ownPages = pages.filter((path) => /^(docs\/|[^/]*$)/.test(path))

test.each(ownPages)('the files that %s names exist', (page) => {
  const named = [...read(page).matchAll(/`([\w./-]+\.(?:ts|mjs|prisma|yml|cfg))`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => !files.some((file) => file === path || file.endsWith(`/${path}`)))
  expect(missing.filter((path) => !path.startsWith(INVENTED))).toEqual([])
})

const STARTS = [
  ...['', 'docs/', 'packages/', 'packages/dex/'],
  ...['apps/indexer/src/', 'apps/api/src/', 'packages/store/src/'],
]

test('the folders that ARCHITECTURE.md names exist', () => {
  const named = [...read('ARCHITECTURE.md').matchAll(/`((?:[\w.-]+\/)+)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => !STARTS.some((start) => existsSync(join(root, start, path))))
  expect(missing.filter((path) => path !== 'dist/')).toEqual([])
})
