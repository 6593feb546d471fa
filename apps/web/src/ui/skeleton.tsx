/** Grey lines in the place of text that is on its way. */
export function Skeleton({ lines = 3, tall = false }: { lines?: number; tall?: boolean }) {
  return (
    <div class={tall ? 'skeleton skeleton-tall' : 'skeleton'} aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
