import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface GuidePage {
  name: string
  title: string
  summary: string
  /** Without Markdown, for previews of links. */
  plainSummary: string
  markdown: string
  lines: readonly GuideLine[]
}

interface GuideLine {
  heading: string
  line: string
  plain: string
}

export interface GuideHit extends GuideLine {
  page: GuidePage
}

const MAX_HITS = 50

/** Returns the pages in the order in which the list of all documents, `README.md` beside the folder, names them. */
export async function readGuide(folder: string): Promise<GuidePage[]> {
  const list = await readFile(join(folder, '..', 'README.md'), 'utf8')
  const placeOf = (file: string) => {
    const place = list.indexOf(`(guide/${file})`)
    return place < 0 ? list.length : place
  }
  const names = (await readdir(folder)).filter((file) => file.endsWith('.md'))
  const files = names.sort((one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1))
  return await Promise.all(files.map(async (file) => pageOf(file, await readFile(join(folder, file), 'utf8'))))
}

function pageOf(file: string, markdown: string): GuidePage {
  const name = basename(file, '.md')
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name
  const summary = markdown.split(/\n{2,}/).find((part) => /^[A-Za-z`*[]/.test(part)) ?? ''
  let heading = title
  const lines = markdown.split('\n').map((line) => {
    heading = /^#{1,4} (.+)$/.exec(line)?.[1] ?? heading
    return { heading, line: line.trim(), plain: line.toLowerCase() }
  })
  const line = summary.replaceAll('\n', ' ')
  const plainSummary = line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
  return { name, title, summary: line, plainSummary, markdown, lines }
}

/** Returns the lines that contain all words of a text, ignoring case. Pages with more hits come first. */
export function searchGuide(pages: readonly GuidePage[], text: string): GuideHit[] {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))]
  if (words.length === 0) return []
  const found = pages.map((page) =>
    page.lines.filter(({ plain }) => words.every((word) => plain.includes(word))).map((line) => ({ ...line, page })),
  )
  return found
    .sort((a, b) => b.length - a.length)
    .flat()
    .slice(0, MAX_HITS)
}
