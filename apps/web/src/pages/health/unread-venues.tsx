import type { NetworkStatus } from '@dexfeed/client'
import { decimalText } from '../../format/decimal.ts'
import { shortHex } from '../../format/short-hex.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { ExplorerLink } from '../../ui/links.tsx'

/** Lists contracts whose swaps are not read, most frequent first. */
export function UnreadVenues({ network: { network, unread_venues: unread } }: { network: NetworkStatus }) {
  if (unread === null || unread.venues.length === 0) return null
  const share = decimalText(String(100 * unread.unread_share), 2)
  return (
    <>
      <h3>Venues that are not read</h3>
      <p class="coverage-text">
        {share} % of {unread.receipts} receipts that look like a swap.
      </p>
      <DataTable
        caption="Venues that are not read"
        columns={[
          {
            head: 'Contract',
            cell: ({ emitter }) => <ExplorerLink network={network} kind="address" id={emitter} />,
          },
          { head: 'Event', cell: ({ topic }) => <code>{shortHex(topic)}</code> },
          { head: 'Receipts', numeric: true, cell: ({ receipts }) => receipts },
        ]}
        rows={unread.venues}
        keyOf={({ emitter, topic }) => `${emitter} ${topic}`}
        empty="None."
      />
    </>
  )
}
