const USD_DIGITS = 8
const NETWORK_WIDTH = 9
const WIDTHS = [10, 10, 12, 18]

interface NetworkSummary {
  network: string
  head: number | null
  indexed: number | null
  swaps: number
  /** USD volume of the last 24 hours, times 1e8. */
  usdE8: bigint
}

export interface Summary {
  networks: readonly NetworkSummary[]
  today: { usd: string; addresses: string }
}

export interface SwapTotals {
  swaps: number
  usdE8: bigint
}

interface Status {
  networks: readonly { network: string; chain_head: number | null; indexed_block: number | null }[]
}

/** Sums a network's last 24 hours. Reads the whole list, so call it rarely. */
export async function readSwapTotals(base: string, network: string, signal: AbortSignal): Promise<SwapTotals> {
  const rows = await get<readonly { trade_volume_usd: string }[]>(`${base}/api/swaps_24h?network=${network}`, signal)
  return { swaps: rows.length, usdE8: rows.reduce((sum, row) => sum + toE8(row.trade_volume_usd), 0n) }
}

export async function readStatus(base: string, signal: AbortSignal): Promise<Status> {
  return await get<Status>(`${base}/status`, signal)
}

export async function readToday(base: string, signal: AbortSignal): Promise<Summary['today']> {
  const days = await get<readonly { address_count: string; trade_volume_usd: string }[]>(
    `${base}/api/trade_volume_usd_7d`,
    signal,
  )
  const [today] = days
  return { usd: today?.trade_volume_usd ?? '0', addresses: today?.address_count ?? '0' }
}

export function summarize(status: Status, totals: ReadonlyMap<string, SwapTotals>, today: Summary['today']): Summary {
  const networks = status.networks.map(({ network, chain_head, indexed_block }) => {
    const { swaps, usdE8 } = totals.get(network) ?? { swaps: 0, usdE8: 0n }
    return { network, head: chain_head, indexed: indexed_block, swaps, usdE8 }
  })
  return { networks, today }
}

export function summaryTable({ networks, today }: Summary): string[] {
  const line = ([network = '', ...values]: readonly string[]) =>
    `  ${network.padEnd(NETWORK_WIDTH)}${values.map((value, i) => value.padStart(WIDTHS[i] ?? 0)).join('')}`
  return [
    line(['network', 'head', 'indexed', 'swaps 24h', 'USD 24h']),
    ...networks.map(({ network, head, indexed, swaps, usdE8 }) =>
      line([network, block(head), block(indexed), String(swaps), dollars(usdE8)]),
    ),
    `  today: ${dollars(toE8(today.usd))} USD by ${today.addresses} addresses`,
  ]
}

export function summaryLine({ networks, today }: Summary): string {
  const parts = networks.map(({ network, head, indexed, swaps, usdE8 }) => {
    return `${network} head ${block(head)} indexed ${block(indexed)} swaps ${swaps} USD ${dollars(usdE8)}`
  })
  return `${parts.join(' | ')} | today ${dollars(toE8(today.usd))} USD, ${today.addresses} addresses`
}

function block(number: number | null): string {
  return number === null ? '-' : String(number)
}

function toE8(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.slice(0, USD_DIGITS).padEnd(USD_DIGITS, '0'))
}

/** Rounds down. */
function dollars(usdE8: bigint): string {
  return (usdE8 / 10n ** BigInt(USD_DIGITS)).toLocaleString('en-US')
}

async function get<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`${response.status} from ${url}`)
  return (await response.json()) as T
}
