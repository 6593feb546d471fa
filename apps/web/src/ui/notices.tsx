import type { DexfeedError } from '@dexfeed/client'
import type { ComponentChildren } from 'preact'

interface NoticeProps {
  tone?: 'info' | 'warning' | 'danger'
  title: ComponentChildren
  children?: ComponentChildren
}

export function Notice({ tone = 'info', title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'danger' ? 'alert' : 'note'}>
      <strong>{title}</strong>
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  )
}

interface FailureProps {
  title: string
  error?: DexfeedError | null
  onRetry?: () => void
  retryLabel?: string
}

export function Failure({ title, error, onRetry, retryLabel = 'Try again' }: FailureProps) {
  return (
    <div class="state" role="alert">
      <strong>{title}</strong>
      {error && <p>{reasonOf(error)}</p>}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          {retryLabel}
        </button>
      )}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

export function NotFound() {
  return (
    <>
      <h1>Not found</h1>
      <Empty title="There is nothing under this address.">
        Search for a token or pool, or <a href="/">go to the market</a>.
      </Empty>
    </>
  )
}

function reasonOf({ message, status, requestId }: DexfeedError): string {
  const place = status === null ? '' : ` (status ${status}${requestId === null ? '' : `, request ${requestId}`})`
  return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}${place}.`
}
