import { readAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, fixedText, isoTime, type NetworkName, type Token, usdE8Of } from '@dexfeed/dex'
import type { FoundToken, Reader, TokenFilter } from '@dexfeed/store'
import { HttpFailure } from '../../http/http-failure.ts'
import { tradedAs } from '../../quote/prices/price-board.ts'
import type { FiguresBoard } from '../figures/figures-board.ts'
import type { Figures } from '../figures/table/figure-table.ts'
import { tokenFields } from '../swaps.ts'
import type { V1Context } from '../v1-context.ts'
import { type Catalog, type CatalogPage, catalogPage, figureFields, flowField } from './catalog-page.ts'

const PRICE_DIGITS = 18
const USD_DIGITS = 8

function catalogOf({ reader, board }: V1Context): Catalog<TokenFilter, FoundToken> {
  return {
    kind: 'tokens',
    board,
    find: (search) => reader.findTokens(search),
    counted: ({ address }) => ({ token: address }),
  }
}

export function tokens(context: V1Context): V1Handlers['listTokens'] {
  const catalog = catalogOf(context)
  return async ({ token: tokens, search, listed, ...filters }, scan) => {
    const { network } = filters
    const address = search === undefined ? null : readAddress(search)
    const filter = {
      ...(tokens && { among: network ? tokens.map((token) => coinAs(context.board, network, token)) : tokens }),
      ...(address !== null && { address }),
      ...(address === null && search !== undefined && { beginning: search }),
      ...(listed !== undefined && { listed }),
    }
    const { rows, ...page } = await catalogPage(catalog, filter, filters, scan)
    return { rows: rows.map(rowWithFlow), ...page }
  }
}

export function token(context: V1Context): V1Handlers['getToken'] {
  const catalog = catalogOf(context)
  const { board } = context
  return async ({ network, address }, { signal }) => {
    const filter = { address: coinAs(board, network, address) }
    const { rows, headers } = await catalogPage(catalog, filter, { network }, { order: 'asc', from: null, limit: 1 })
    const [found] = rows
    if (found === undefined) throw new HttpFailure(404, `no indexed pool of ${network} trades this token`)
    const last_trade = await lastTradeOf(context.reader, network, found.row, signal)
    return { body: { ...rowWithFlow(found), last_trade }, headers }
  }
}

function coinAs(board: FiguresBoard, network: NetworkName, address: Address): Address {
  const [known] = board.of(network)
  return known === undefined ? address : tradedAs(network, address, known.network.wrappedNative)
}

type LastTrade = Awaited<ReturnType<V1Handlers['getToken']>>['body']['last_trade']

async function lastTradeOf(
  reader: Reader,
  network: NetworkName,
  { address, decimals }: Token,
  signal: AbortSignal,
): Promise<LastTrade> {
  if (decimals === null) return null
  // A trade of less than a cent says little about a price.
  const filter = { token: address, minUsd: '0.01' }
  const { rows, networks } = await reader.findSwaps({
    filter,
    network,
    ascending: false,
    from: null,
    final: true,
    limit: 20,
    signal,
  })
  const final = networks[0]?.finalNumber ?? -1
  for (const { time, txHash, blockNumber, flags, volumeUsd, sellToken, sellAmount, buyAmount } of rows) {
    const amount = BigInt(sellToken === address ? sellAmount : buyAmount)
    if (volumeUsd === null || flags !== 0 || amount === 0n || blockNumber > final) continue
    return {
      time: isoTime(time),
      tx_hash: txHash,
      price_usd: priceText(usdE8Of(volumeUsd), amount, decimals),
    }
  }
  return null
}

function priceText(usdE8: bigint, amount: bigint, decimals: number): string {
  return fixedText((usdE8 * 10n ** BigInt(decimals + PRICE_DIGITS - USD_DIGITS)) / amount, PRICE_DIGITS)
}

function rowWithFlow({ row, figures, traders }: CatalogPage<FoundToken>['rows'][number]): V1Row<'listTokens'> {
  return { ...tokenRow(row, figures), flow: flowField(figures, traders) }
}

export function tokenRow(
  { network, listed, supply, ...token }: FoundToken & { network: NetworkName },
  figures: Figures,
): Omit<V1Row<'listTokens'>, 'flow'> {
  return {
    network,
    ...tokenFields(token.address, token),
    listed,
    ...figureFields(figures),
    price_weighted: figures.isWeighted,
    total_supply: supply === null ? null : String(supply),
    fdv_usd: dilutedValue(figures.priceUsd, supply, token.decimals),
  }
}

function dilutedValue(priceUsd: string | null, supply: bigint | null, decimals: number | null): string | null {
  if (priceUsd === null || supply === null || decimals === null) return null
  const [whole = '', fraction = ''] = priceUsd.split('.')
  const scale = 10n ** BigInt(fraction.length + decimals)
  return fixedText((BigInt(whole + fraction) * supply * 10n ** BigInt(USD_DIGITS)) / scale, USD_DIGITS)
}
