/** A text that the server has already put into the page, so that it is there before this script. */
const sent = document.querySelector('#app article.docs')
const sentFor = location.pathname + location.search

export interface Article {
  title: string
  html: string
}

/** Returns a page of the guide or the reference, made by the server. */
export async function readArticle(href: string, signal: AbortSignal): Promise<Article> {
  if (sent !== null && href === sentFor) return { title: headingOf(sent), html: sent.outerHTML }
  const response = await fetch(href, { headers: { Accept: 'text/html' }, signal })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const article = page.querySelector('article.docs')
  if (article === null) throw new Error('there is no article')
  return { title: headingOf(article), html: article.outerHTML }
}

function headingOf(article: Element): string {
  return article.querySelector('h1')?.textContent ?? 'Guide'
}
