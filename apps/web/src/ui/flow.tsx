import { decimalText } from '../format/decimal.ts'
import { UNKNOWN } from './figures.tsx'

/** Shows how many swaps bought and sold, and their shares. */
export function Flow({ buys, sells }: { buys: number | null; sells: number | null }) {
  if (buys === null || sells === null) return UNKNOWN
  return (
    <span class="flow">
      <span class="up" title={`${buys} buys`}>
        ▲ {decimalText(String(buys), 0)}
      </span>
      <span class="down" title={`${sells} sells`}>
        ▼ {decimalText(String(sells), 0)}
      </span>
      <FlowBar bought={buys} sold={sells} />
    </span>
  )
}

/** Shows how much of a whole bought; nothing if there is none. */
export function FlowBar({ bought, sold }: { bought: number; sold: number }) {
  const all = bought + sold
  if (all === 0) return null
  return (
    <span class="flow-bar" aria-hidden="true">
      <i style={{ width: `${(100 * bought) / all}%` }} />
    </span>
  )
}

/** Says whether a trade bought or sold, in a word and a direction besides the colour. */
export function Side({ side }: { side: 'buy' | 'sell' | null }) {
  if (side === null) return <span class="side level">⇄ Swap</span>
  return side === 'buy' ? <span class="side up">▲ Buy</span> : <span class="side down">▼ Sell</span>
}
