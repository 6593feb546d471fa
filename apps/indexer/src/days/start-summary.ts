import { NETWORKS, type NetworkName } from '@dexfeed/dex'

/** Disk per stored trade, with its hops, candles and indexes. */
const BYTES_PER_TRADE = 600
const LIST_BYTES_PER_TRADE = 700

interface ExpectedSize {
  tradesPerDay: number
  bytesPerDay: number
  listBytes: number
}

export function expectedSize(networks: readonly NetworkName[]): ExpectedSize {
  const trades = networks.flatMap((network) => NETWORKS[network].busyDayTrades ?? [])
  const tradesPerDay = trades.reduce((sum, ofNetwork) => sum + ofNetwork, 0)
  return {
    tradesPerDay,
    bytesPerDay: tradesPerDay * BYTES_PER_TRADE,
    listBytes: tradesPerDay * LIST_BYTES_PER_TRADE,
  }
}

const GB = 1_000_000_000

export interface SummarySettings {
  network: NetworkName
  rpcUrls: readonly string[]
  archive: unknown
  startBlock: number | null
  backfillDays: number
  retentionDays: number | null
}

export function startSummary(settings: SummarySettings): string {
  const { network, rpcUrls, archive, startBlock, backfillDays, retentionDays } = settings
  const from = startBlock === null ? `the last ${counted(backfillDays, 'day')}` : `everything since block ${startBlock}`
  const source = `${counted(rpcUrls.length, 'endpoint')}${archive === null ? '' : ' and an archive'}`
  const summary = `indexes ${from} and all new blocks, from ${source}`
  if (NETWORKS[network].busyDayTrades === undefined) return `${summary}; the disk that it takes was not measured`
  const { tradesPerDay, bytesPerDay } = expectedSize([network])
  const size = `${tradesPerDay.toLocaleString('en')} trades and ${gb(bytesPerDay)} a day`
  const kept =
    retentionDays === null
      ? 'all days are kept'
      : `${gb(bytesPerDay * retentionDays)} for ${counted(retentionDays, 'day')}`
  return `${summary}; up to ${size}, ${kept}`
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

function gb(bytes: number): string {
  return `${(bytes / GB).toFixed(bytes < 10 * GB ? 1 : 0)} GB`
}
