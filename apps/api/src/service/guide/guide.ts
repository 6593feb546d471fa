import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A page of the guide. */
export interface GuidePage {
  /** The file's name without `.md`, which is also its path under `/docs/guide`. */
  name: string
  title: string
  /** The first paragraph. */
  summary: string
  markdown: string
}

/** A place in the guide where a searched text is. */
export interface GuideHit {
  page: GuidePage
  /** The heading above; the title of the page before the first one. */
  heading: string
  /** The line itself. */
  line: string
}

/** Most hits of a search. */
const MOST_HITS = 50

/** Reads the pages of a folder, by name. */
export async function readGuide(folder: string): Promise<GuidePage[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()
  return await Promise.all(files.map(async (file) => pageOf(file, await readFile(join(folder, file), 'utf8'))))
}

function pageOf(file: string, markdown: string): GuidePage {
  const name = basename(file, '.md')
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name
  const summary = markdown.split(/\n{2,}/).find((part) => /^[A-Za-z`*[]/.test(part)) ?? ''
  return { name, title, summary: summary.replaceAll('\n', ' '), markdown }
}

/** Returns the lines that contain all words of a text, in any case. Pages with more of them come first. */
export function searchGuide(pages: readonly GuidePage[], text: string): GuideHit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const found = pages.map((page) => hitsOf(page, words))
  return found
    .sort((a, b) => b.length - a.length)
    .flat()
    .slice(0, MOST_HITS)
}

function hitsOf(page: GuidePage, words: readonly string[]): GuideHit[] {
  const hits: GuideHit[] = []
  let heading = page.title
  for (const line of page.markdown.split('\n')) {
    heading = /^#{1,4} (.+)$/.exec(line)?.[1] ?? heading
    const plain = line.toLowerCase()
    if (words.every((word) => plain.includes(word))) hits.push({ page, heading, line: line.trim() })
  }
  return hits
}
