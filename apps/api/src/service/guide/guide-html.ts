import { Marked, type Tokens } from 'marked'
import { type GuideHit, type GuidePage, searchGuide } from './guide.ts'

const STYLE = `
:root { color-scheme: light dark }
body { max-width: 860px; margin: 0 auto; padding: 24px 20px 64px; font: 16px/1.6 system-ui, sans-serif;
  color: light-dark(#131722, #e8ebf1); background: light-dark(#fff, #0e1117) }
a { color: light-dark(#3451d1, #94a7ff) }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; padding-bottom: 16px; font-size: 14px }
form { margin: 0 0 24px } input { width: min(100%, 320px); padding: 6px 10px; font: inherit } button { font: inherit; padding: 6px 14px }
pre, code { font-size: 14px; background: light-dark(#f1f3f6, #1e2530); border-radius: 4px }
pre { padding: 12px; overflow-x: auto } code { padding: 1px 4px }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 14px }
th, td { border: 1px solid light-dark(#e3e7ed, #283140); padding: 6px 10px; text-align: left; vertical-align: top }`

export function guideIndex(pages: readonly GuidePage[], query: string): string {
  const list = pages.map((page) => `<li><a href="/docs/guide/${page.name}">${escaped(page.title)}</a></li>`).join('')
  const hits = searchGuide(pages, query)
  const found = query === '' ? `<ul>${list}</ul>` : hitsHtml(hits, query)
  return htmlOf(pages, 'Guide', `<h1>Guide</h1>${found}`, query)
}

export function guidePage(pages: readonly GuidePage[], page: GuidePage): string {
  const names = new Set(pages.map(({ name }) => name))
  const marked = new Marked({
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
  return htmlOf(pages, page.title, marked.parse(page.markdown, { async: false }), '')
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

function htmlOf(pages: readonly GuidePage[], title: string, body: string, query: string): string {
  const links = pages.map((page) => `<a href="/docs/guide/${page.name}">${escaped(page.title)}</a>`).join(' ')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · dexfeed</title><style>${STYLE}</style></head>
<body>
<nav aria-label="Guide"><a href="/">dexfeed</a> <a href="/docs">API</a> ${links}</nav>
<form action="/docs/guide" role="search"><input name="q" aria-label="Search the guide" maxlength="100" value="${escaped(query)}"> <button>Search</button></form>
<main>${body}</main>
</body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
