interface SkeletonProps {
  lines?: number
  tall?: boolean
  /** Rows of the table whose height is kept free. */
  rows?: number
  room?: 'tiles' | 'days'
}

/** Grey lines in place of text that is loading, so that nothing below moves when it arrives. */
export function Skeleton({ lines = 3, tall = false, rows, room }: SkeletonProps) {
  const classes = ['skeleton', tall && 'skeleton-tall', rows !== undefined && 'skeleton-rows', room && `room-${room}`]
  // The header is one line more.
  const count = rows === undefined ? lines : rows + 1
  return (
    <div class={classes.filter(Boolean).join(' ')} aria-hidden="true">
      {Array.from({ length: count }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
