import type { Transaction } from '@dexfeed/client'
import { useSignal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { useResource } from '../../data/use-resource.ts'
import { FIRST_NETWORK, type NetworkName, networkOf } from '../../format/networks.ts'
import { utcText } from '../../format/time.ts'
import { query, setQuery } from '../../state/place.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { NetworkSelect } from '../../ui/choice.tsx'
import { ExplorerLink, TraderLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notices.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ExplainedTradeCard } from './explained-trade-card.tsx'

const HASH = /^0x[0-9a-f]{64}$/i

export function ExplainPage() {
  const network = networkOf(query.value.get('network')) ?? FIRST_NETWORK
  const hash = query.value.get('tx') ?? ''
  const isHash = HASH.test(hash)
  const { state, reload } = useResource(isHash ? `transaction ${network} ${hash}` : null, (signal) =>
    api.call('getTransaction', { network, tx_hash: hash }, { signal }),
  )
  return (
    <>
      <h1>Explain a transaction</h1>
      <HashForm key={`${network} ${hash}`} network={network} hash={hash} />
      {isHash ? (
        <Loaded {...{ state, reload }} what="The transaction" skeleton={<Skeleton lines={6} />}>
          {(transaction) => <Explanation transaction={transaction} />}
        </Loaded>
      ) : (
        <Empty title={hash === '' ? 'No transaction is chosen.' : 'This is not the hash of a transaction.'}>
          Paste a hash: 0x and 64 hex digits. It is looked for in the blocks that are indexed.
        </Empty>
      )}
    </>
  )
}

function HashForm({ network, hash }: { network: NetworkName; hash: string }) {
  const text = useSignal(hash)
  const chain = useSignal(network)
  return (
    <Card title="Transaction">
      <form
        class="form form-line"
        onSubmit={(event) => {
          event.preventDefault()
          setQuery({ network: chain.value, tx: text.value.trim() })
        }}
      >
        <NetworkSelect
          network={chain.value}
          onChoose={(chosen) => {
            chain.value = chosen
          }}
        />
        <input
          class="field"
          type="text"
          aria-label="Hash of the transaction"
          placeholder="0x…"
          autocomplete="off"
          spellcheck={false}
          maxLength={80}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
        <button type="submit" class="button button-main">
          Explain
        </button>
      </form>
    </Card>
  )
}

function Explanation({ transaction }: { transaction: Transaction }) {
  const { network, trades, tokens, trader, complete } = transaction
  return (
    <>
      <p class="lead">
        <ExplorerLink network={network} kind="tx" id={transaction.tx_hash} />
        <span>
          Block <ExplorerLink network={network} kind="block" id={transaction.block_number} />
        </span>
        <time dateTime={transaction.time}>{utcText(transaction.time)}</time>
        {transaction.final ? (
          <Badge tone="good">final</Badge>
        ) : (
          <Badge tone="warning" title="The chain may still roll the block back.">
            not final
          </Badge>
        )}
        {trader !== null && (
          <span>
            Signed by <TraderLink network={network} trader={trader} />
          </span>
        )}
      </p>
      {trades.map((trade) => (
        <ExplainedTradeCard key={trade.position} {...{ network, trade, tokens }} />
      ))}
      {!complete && <p>It has more trades than are shown here.</p>}
    </>
  )
}
