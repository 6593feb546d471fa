import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

const root = projectRoot()
const pages = pagesIn('')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The Markdown files of a folder and of its folders, except installed packages and hidden folders. */
function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(\.|node_modules$|dist$)/.test(entry.name) ? [] : pagesIn(path)
    return path.endsWith('.md') ? [path] : []
  })
}

/** The anchor that GitHub makes of a heading. */
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

/** Folders that a path without a workspace may begin in. */
const STARTS = [
  ...['', 'apps/', 'docs/', 'packages/', 'packages/dex/', 'packages/dex/src/protocols/', 'packages/store/src/'],
  ...['apps/indexer/src/', 'apps/api/src/'],
]

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('the files that %s names exist', (page) => {
  const named = [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => !STARTS.some((start) => existsSync(join(root, start, path))))
  expect(missing.filter((path) => !/^(dist|tokens)\/$/.test(path))).toEqual([])
})
