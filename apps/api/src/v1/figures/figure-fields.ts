import { SECOND, usdText } from '@dexfeed/dex'
import type { Figures } from './table/figure-table.ts'

export function figureFields(figures: Figures) {
  const { priceUsd, changesE4, volumeE8, swaps, unpriced, liquidityE8, firstSeen } = figures
  const [minutes, hour, hours, day] = changesE4.map((change) => (change === null ? null : percentText(change)))
  return {
    price_usd: priceUsd,
    price_change_5m: minutes ?? null,
    price_change_1h: hour ?? null,
    price_change_6h: hours ?? null,
    price_change_24h: day ?? null,
    volume_24h_usd: usdText(volumeE8),
    swaps_24h: swaps,
    unpriced_swaps_24h: unpriced,
    liquidity_usd: liquidityE8 === null ? null : usdText(liquidityE8),
    first_seen: firstSeen === null ? null : new Date(firstSeen * SECOND).toISOString(),
  }
}

function percentText(changeE4: bigint): string {
  const digits = String(changeE4 < 0n ? -changeE4 : changeE4).padStart(5, '0')
  return `${changeE4 < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
}
