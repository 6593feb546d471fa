import { useSignal } from '@preact/signals'
import { Component, type ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type PathParts, path, restoreScroll } from '../state/place.ts'
import { Failure, NotFound } from '../ui/notices.tsx'
import { type PageComponent, routeOf } from './routes.ts'

interface Shown {
  path: string
  title: string
  Page: PageComponent
  parts: PathParts
}

/** Shows the page that the address bar names. The previous page stays until the next page's code has loaded. */
export function PageView() {
  const shown = useSignal<Shown | null>(null)
  const problem = useSignal<string | null>(null)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const target = path.value
  useEffect(() => {
    let isWanted = true
    const found = routeOf(target)
    const show = (next: Shown | null, failure: string | null) => {
      if (!isWanted) return
      shown.value = next
      problem.value = failure
      document.title = `${next?.title ?? (failure === null ? 'Not found' : 'Not loaded')} · dexfeed`
      if (!isFirst.current) main.current?.focus({ preventScroll: true })
      // After the page is drawn.
      setTimeout(restoreScroll)
      isFirst.current = false
    }
    if (found === null) show(null, null)
    else {
      const { route, parts } = found
      const done = (Page: PageComponent) => show({ path: target, title: route.title, Page, parts }, null)
      const loaded = route.load()
      if (loaded instanceof Promise) {
        loaded.then(done, () =>
          show(null, 'A part of this page could not be loaded. The server may have been updated.'),
        )
      } else done(loaded)
    }
    return () => {
      isWanted = false
    }
  }, [target])
  return (
    <main id="content" tabIndex={-1} ref={main}>
      <Boundary key={target}>{contentOf(shown.value, problem.value, target)}</Boundary>
    </main>
  )
}

function contentOf(shown: Shown | null, problem: string | null, target: string) {
  if (problem !== null)
    return <Failure title={problem} onRetry={() => location.reload()} retryLabel="Reload the page" />
  if (shown !== null) return <shown.Page key={shown.path} parts={shown.parts} />
  return routeOf(target) === null ? <NotFound /> : null
}

/** Shows an error in place of a page that failed. */
class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false }

  static override getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return <Failure title="This page has failed." onRetry={() => location.reload()} retryLabel="Reload the page" />
  }
}
