interface SkeletonProps {
  lines?: number
  tall?: boolean
  /** How many rows the table will have, so that it keeps their height free. */
  rows?: number
  /** The part of a page whose height is kept free. */
  room?: 'tiles' | 'days'
}

/** Grey lines in the place of text that is on its way. What comes below does not move when the text arrives. */
export function Skeleton({ lines = 3, tall = false, rows, room }: SkeletonProps) {
  const classes = ['skeleton', tall && 'skeleton-tall', rows !== undefined && 'skeleton-rows', room && `room-${room}`]
  // A table has a header line above its rows.
  const count = rows === undefined ? lines : rows + 1
  return (
    <div class={classes.filter(Boolean).join(' ')} aria-hidden="true">
      {Array.from({ length: count }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
