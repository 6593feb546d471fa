import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Resource } from '../data/use-resource.ts'
import { Ago } from './ago.tsx'
import { Failure } from './notices.tsx'

interface LoadedProps<T> {
  state: Signal<Resource<T>>
  /** For messages, such as `The pools`. */
  what: string
  reload: () => void
  skeleton: ComponentChildren
  children: (data: T) => ComponentChildren
}

/** Shows what was read, or that it is loading, failed or stale. */
export function Loaded<T>({ state, what, reload, skeleton, children }: LoadedProps<T>) {
  const { data, error, at } = state.value
  if (data === null) {
    if (error !== null) return <Failure title={`${what} could not be read.`} error={error} onRetry={reload} />
    return (
      <div aria-busy="true" aria-label={`${what}: loading`} role="status">
        {skeleton}
      </div>
    )
  }
  return (
    <>
      {error !== null && at !== null && (
        <p class="stale" role="status">
          Shown as read <Ago ms={at} /> ago: {error.message}.
        </p>
      )}
      {children(data)}
    </>
  )
}
