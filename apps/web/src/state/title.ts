import { useEffect } from 'preact/hooks'

/** Names the page in the browser's tab, once the page knows its subject; null leaves the title as it is. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · dexfeed`
  }, [title])
}
