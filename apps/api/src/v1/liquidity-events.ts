import { amountDecimal, checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, NETWORKS, type NetworkName, SECOND, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import type { FoundLiquidity, LiquiditySearch } from '@dexfeed/store'
import { indexedBlocks, indexedOf } from '../service/freshness.ts'
import { onePool } from './one-pool.ts'
import { tokenFields } from './swaps.ts'
import type { V1Context } from './v1-context.ts'

type Handler = V1Handlers['listLiquidityEvents']
type Row = V1Row<'listLiquidityEvents'>

export function liquidityEvents(context: V1Context): Handler {
  const { reader, extent } = context
  return async ({ network, ...filters }, { order, from, limit }) => {
    // Read before the rows: a block that is final now stays final.
    const indexed = indexedOf(network, (await extent()).networks)
    const [time, blockNumber, logIndex] = from ?? []
    const isPlace = time !== undefined && blockNumber !== undefined && logIndex !== undefined
    const { rows, reached } = await reader.findLiquidity({
      network,
      filter: await filterOf(context, network, filters),
      ascending: order === 'asc',
      from: isPlace ? { time, blockNumber, logIndex } : null,
      limit,
    })
    const tokens = await reader.tokens(network, [...new Set(rows.flatMap(({ coins }) => coins))])
    const known = new Map(tokens.map((token) => [token.address, token]))
    const final = indexed.finalNumber ?? -1
    return {
      rows: rows.map((row) => ({ ...liquidityEventOf(row, known), final: row.blockNumber <= final })),
      reached: reached && [reached.time, reached.blockNumber, reached.logIndex],
      headers: { 'X-Indexed-Block': indexedBlocks([indexed]) },
    }
  }
}

async function filterOf(
  context: V1Context,
  network: NetworkName,
  { pool, account, kind, from, to, min_usd }: Omit<Parameters<Handler>[0], 'network'>,
): Promise<LiquiditySearch['filter']> {
  const filter = {
    ...(account && { account }),
    ...(kind && { isAdded: kind === 'add' }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
    ...(min_usd && { minUsd: min_usd }),
  }
  return pool === undefined ? filter : { ...filter, pool: (await onePool(context, network, pool)).pool.address }
}

/** @param tokens by address; those that are missing have no name and no decimals */
export function liquidityEventOf(event: FoundLiquidity, tokens: ReadonlyMap<Address, Token>): Omit<Row, 'final'> {
  const { network, blockNumber, account, amounts, range, coins } = event
  return {
    time: new Date(event.time * SECOND).toISOString(),
    network,
    block_number: String(blockNumber),
    tx_hash: event.txHash,
    transaction_index: event.transactionIndex,
    log_index: event.logIndex,
    kind: event.isAdded ? 'add' : 'remove',
    account: account && checksumAddress(account),
    protocol: event.dex,
    pool: event.pool,
    tokens: coins.map((coin, index) => movedToken(network, coin, tokens.get(coin), amounts?.[index] ?? null)),
    value_usd: event.valueUsd,
    liquidity: range?.liquidity ?? null,
    tick_lower: range?.tickLower ?? null,
    tick_upper: range?.tickUpper ?? null,
  }
}

function movedToken(
  network: NetworkName,
  coin: Address,
  token: Token | undefined,
  amount: string | null,
): Row['tokens'][number] {
  const { native } = NETWORKS[network]
  const isNative = coin === ZERO_ADDRESS
  const { address, name, symbol, decimals } = tokenFields(coin, isNative ? { ...native, address: coin } : token)
  return {
    name,
    symbol,
    decimals,
    address: isNative ? '' : address,
    amount,
    amount_decimal: amount === null || decimals === null ? null : amountDecimal(amount, Number(decimals)),
  }
}
