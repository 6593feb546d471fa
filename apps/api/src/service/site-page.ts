export interface SitePage {
  title: string
  description?: string
  /** HTML that the page shows before, and without, its script. */
  article?: string
}

/** Used if the page is not built: the parts that it shares with the built one. */
const UNBUILT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="" />
    <title>dexfeed</title>
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`

/** Fills the page with a title, what previews of links show, and text. Without `html`, the page is not built. */
export function sitePage(html: string | null, { title, description, article }: SitePage): string {
  const name = `${escaped(title)} · dexfeed`
  const preview = [['og:title', name], ...(description === undefined ? [] : [['og:description', escaped(description)]])]
  const metas = preview.map(([property, content]) => `<meta property="${property}" content="${content}" />`)
  const titled = (html ?? UNBUILT).replace(
    /<title>.*?<\/title>/,
    () => `<title>${name}</title>\n    ${metas.join('\n    ')}`,
  )
  const described =
    description === undefined
      ? titled
      : titled.replace(/(<meta name="description" content=").*?"/, (_, start) => `${start}${escaped(description)}"`)
  if (article === undefined) return described
  return described
    .replace(/<noscript>.*?<\/noscript>/, '')
    .replace('<div id="app"></div>', () => `<div id="app"><main id="content">${article}</main></div>`)
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
