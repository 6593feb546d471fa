import { useLayoutEffect } from 'preact/hooks'
import { readArticle } from '../../data/read-article.ts'
import { useResource } from '../../data/use-resource.ts'
import { path, query } from '../../state/place.ts'
import { useTitle } from '../../state/title.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** A page of the guide, or the reference of the API. The server makes both, so that they need no script. */
export function DocsPage() {
  const search = query.value.toString()
  const href = path.value + (search === '' ? '' : `?${search}`)
  const { state, reload } = useResource(`article ${href}`, (signal) => readArticle(href, signal))
  const article = state.value.data
  useTitle(article?.title ?? null)
  useLayoutEffect(() => {
    if (article !== null && location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [article])
  return (
    <Loaded {...{ state, reload }} what="The page" skeleton={<Skeleton lines={12} />}>
      {({ html }) => (
        // Made by this server from its own files, and escaped there.
        <div dangerouslySetInnerHTML={{ __html: html }} />
      )}
    </Loaded>
  )
}
