import type { DayVolume } from '@dexfeed/client'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { compactText, decimalText, shareOf, sumOf } from '../../format/decimal.ts'
import { dayText } from '../../format/time.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Usd } from '../../ui/figures.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const REFRESH_MS = 15_000

const COLUMNS: readonly Column<DayVolume>[] = [
  { head: 'Day', cell: ({ date }) => <time dateTime={date}>{dayText(date)}</time> },
  { head: 'Volume', numeric: true, cell: ({ trade_volume_usd }) => <Usd value={trade_volume_usd} exact /> },
  { head: 'Addresses', numeric: true, cell: ({ address_count }) => decimalText(address_count, 0) },
]

export function DaysCard() {
  const { state, reload } = useResource('days', (signal) => api.call('listDayVolumes', {}, { signal }), {
    refreshMs: REFRESH_MS,
  })
  return (
    <Card title="Seven days" note="all networks, days in UTC; today is running">
      <Loaded {...{ state, reload }} what="The days" skeleton={<Skeleton lines={7} room="days" />}>
        {(days) => (
          <div class="days">
            <p class="days-total">
              <span>Volume of seven days</span>
              <strong>
                <Usd value={sumOf(days.map(({ trade_volume_usd }) => trade_volume_usd))} />
              </strong>
            </p>
            <DayBars days={days} />
            <DataTable
              caption="Volume and addresses by day"
              columns={COLUMNS}
              rows={days}
              keyOf={({ date }) => date}
              empty="No day is indexed yet."
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** Hidden from screen readers, because the table next to it has the same numbers. */
function DayBars({ days }: { days: readonly DayVolume[] }) {
  const most = days.reduce((max, { trade_volume_usd: usd }) => (Number(usd) > Number(max) ? usd : max), '0')
  return (
    <div class="bars" aria-hidden="true">
      {[...days].reverse().map(({ date, trade_volume_usd: usd }) => (
        <div key={date} class="bar">
          <div class="bar-room">
            <span class="bar-value">${compactText(usd, 0)}</span>
            <span class="bar-fill" style={{ height: `${80 * shareOf(usd, most)}%` }} />
          </div>
          <span class="bar-day">{dayText(date)}</span>
        </div>
      ))}
    </div>
  )
}
