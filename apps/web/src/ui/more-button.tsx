interface MoreButtonProps {
  hasMore: boolean
  loading: boolean
  onMore: () => void
}

/** Shows the next page of a list below. */
export function MoreButton({ hasMore, loading, onMore }: MoreButtonProps) {
  if (!hasMore) return null
  return (
    <p class="more">
      <button type="button" class="button" disabled={loading} onClick={onMore}>
        {loading ? 'Loading …' : 'Show more'}
      </button>
    </p>
  )
}
