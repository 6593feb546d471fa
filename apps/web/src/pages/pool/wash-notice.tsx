import type { Pool, WashPool } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { Usd } from '../../ui/figures.tsx'
import { Notice } from '../../ui/notices.tsx'

const FLAGS: Readonly<Record<WashPool['flags'][number], string>> = {
  'round-trips': 'most of it by addresses that reversed their own trades',
  'few-traders': 'most of it by a few addresses',
  'matched-amounts': 'most of it in amounts that one address bought and another sold',
}

/** Names the days on which much of a pool's volume looks like wash trading, and why. */
export function WashNotice({ pool }: { pool: Pool }) {
  const { state } = useResource('wash flags', (signal) => api.call('listWashFlags', {}, { signal }))
  const days = (state.value.data?.pools ?? []).filter(
    ({ network, pool: address }) => network === pool.network && address.toLowerCase() === pool.address.toLowerCase(),
  )
  if (days.length === 0) return null
  return (
    <Notice tone="warning" title="Much of the volume of this pool looks like wash trading.">
      <details>
        <summary>
          {days.length === 1 ? 'On one day' : `On ${days.length} days`}, the last one {days[0]?.date}
        </summary>
        <ul>
          {days.map(({ date, trade_volume_usd: volume, traders, flags }) => (
            <li key={date}>
              <time dateTime={date}>{date}</time>: <Usd value={volume} /> by {traders} addresses;{' '}
              {flags.map((flag) => FLAGS[flag]).join(', ')}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  )
}
