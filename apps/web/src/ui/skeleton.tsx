interface SkeletonProps {
  lines?: number
  tall?: boolean
  /** Number of table rows to keep room for. */
  rows?: number
  room?: 'days'
}

/** Shows grey lines in place of text that is loading, so that nothing below moves when the text arrives. */
export function Skeleton({ lines = 3, tall = false, rows, room }: SkeletonProps) {
  const classes = ['skeleton', tall && 'skeleton-tall', rows !== undefined && 'skeleton-rows', room && `room-${room}`]
  // Plus one line for the header.
  const count = rows === undefined ? lines : rows + 1
  return (
    <div class={classes.filter(Boolean).join(' ')} aria-hidden="true">
      {Array.from({ length: count }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
