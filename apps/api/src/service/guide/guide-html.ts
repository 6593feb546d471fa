import { Marked, type Tokens } from 'marked'
import { escaped } from '../site-page.ts'
import { type GuideHit, type GuidePage, searchGuide } from './guide.ts'

/** Returns the list of the guide's pages, or what a search finds. */
export function guideIndex(pages: readonly GuidePage[], query: string): string {
  const items = pages.map(({ name, title, summary }) => {
    return `<li><a href="/docs/guide/${name}">${escaped(title)}</a><br>${inline(summary, pages)}</li>`
  })
  const found = query === '' ? `<ul>${items.join('')}</ul>` : hitsHtml(searchGuide(pages, query), query)
  return articleOf(pages, null, `<h1>Guide</h1>${found}`, query)
}

export function guidePage(pages: readonly GuidePage[], page: GuidePage): string {
  return articleOf(pages, page, scrollable(markedFor(pages).parse(page.markdown, { async: false })), '')
}

/** Lets wide tables and code scroll by themselves, also by keyboard. An empty corner of a table is no header. */
function scrollable(html: string): string {
  return html
    .replaceAll('<table>', '<div class="table-scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<th></th>', '<td></td>')
}

function inline(markdown: string, pages: readonly GuidePage[]): string {
  return markedFor(pages).parseInline(markdown, { async: false })
}

function markedFor(pages: readonly GuidePage[]): Marked {
  const names = new Set(pages.map(({ name }) => name))
  return new Marked({
    renderer: {
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens)
        const target = targetOf(href, names)
        return target === null ? text : `<a href="${escaped(target)}">${text}</a>`
      },
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${escaped(slugOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      image: ({ text }: Tokens.Image) => escaped(text),
    },
  })
}

function targetOf(href: string, names: ReadonlySet<string>): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [, name = '', hash = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return names.has(name) ? `/docs/guide/${name}${hash}` : null
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function hitsHtml(hits: readonly GuideHit[], query: string): string {
  if (hits.length === 0) return `<p>Nothing in the guide contains <q>${escaped(query)}</q>.</p>`
  const items = hits.map(({ page, heading, line }) => {
    const href = `/docs/guide/${page.name}#${encodeURIComponent(slugOf(heading))}`
    return `<li><a href="${href}">${escaped(page.title)}: ${escaped(heading)}</a><br>${escaped(line)}</li>`
  })
  return `<ul>${items.join('')}</ul>`
}

function articleOf(pages: readonly GuidePage[], shown: GuidePage | null, body: string, query: string): string {
  const links = pages.map((page) => {
    const current = page === shown ? ' aria-current="page"' : ''
    return `<a href="/docs/guide/${page.name}"${current}>${escaped(page.title)}</a>`
  })
  return `<article class="docs">
<div class="docs-side">
<form action="/docs/guide" role="search"><input class="field" name="q" aria-label="Search the guide" placeholder="Search the guide" maxlength="100" value="${escaped(query)}"></form>
<nav aria-label="Guide"><a href="/docs/guide">Guide</a>${links.join('')}<a href="/docs">API reference</a></nav>
</div>
<div class="docs-text">${body}</div>
</article>`
}
