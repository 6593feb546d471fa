import type { ComponentChildren } from 'preact'

/** A named figure of a list of facts (`dl`). */
export function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
