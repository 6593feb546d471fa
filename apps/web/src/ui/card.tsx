import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface CardProps {
  title: string
  /** Says what the numbers mean. */
  note?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
  class?: string
}

export function Card({ title, note, actions, children, class: extra }: CardProps) {
  const id = useId()
  return (
    <section class={extra === undefined ? 'card' : `card ${extra}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p class="card-note">{note}</p>}
        {actions !== undefined && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
