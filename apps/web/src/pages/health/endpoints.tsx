import type { NetworkStatus } from '@dexfeed/client'
import { DataTable } from '../../ui/data-table.tsx'

/** Shows the last minute's requests to each endpoint, with budgets and errors. */
export function Endpoints({ network: { endpoints } }: { network: NetworkStatus }) {
  if (endpoints.length === 0) return null
  return (
    <>
      <h3>Endpoints</h3>
      <p class="coverage-text">Requests of the last minute. The number is the place in the setting.</p>
      <DataTable
        caption="Endpoints"
        columns={[
          { head: 'Endpoint', cell: ({ endpoint }) => endpoint },
          { head: 'Requests', numeric: true, cell: ({ items }) => items },
          { head: 'Refused', numeric: true, cell: ({ refused }) => refused },
          { head: 'Failed', numeric: true, cell: ({ failed }) => failed },
          {
            head: 'Budget a second',
            numeric: true,
            cell: ({ budget_per_s: budget }) => (budget === null ? 'no known limit' : budget.toFixed(1)),
          },
        ]}
        rows={endpoints}
        keyOf={({ endpoint }) => String(endpoint)}
        empty="None."
      />
    </>
  )
}
