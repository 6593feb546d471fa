import { type PricedTrade, USD_SOURCES, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'

/** Writes what trades are worth whose tokens are not known yet; hardly ever there are any. */
export async function insertAwaitedValues(
  tx: ClientBase,
  chainId: number,
  trades: readonly PricedTrade[],
): Promise<void> {
  const awaited = trades.flatMap((trade) => {
    const { usdE8 = null, source = null, flags = 0 } = trade.awaited ?? {}
    return usdE8 === null || source === null ? [] : [{ ...trade, usdE8, source, flags }]
  })
  if (awaited.length === 0) return
  await tx.query(
    `INSERT INTO awaited_value (chain_id, block_number, transaction_index, position, block_time, volume_usd,
       usd_source, flags)
     SELECT $1, block, transaction, position, to_timestamp(time), usd, source, flags
     FROM unnest($2::bigint[], $3::int[], $4::int[], $5::float8[], $6::numeric[], $7::smallint[], $8::smallint[])
       AS new (block, transaction, position, time, usd, source, flags)
     ON CONFLICT (chain_id, block_number, transaction_index, position) DO UPDATE SET block_time = excluded.block_time,
       volume_usd = excluded.volume_usd, usd_source = excluded.usd_source, flags = excluded.flags`,
    [
      chainId,
      awaited.map(({ blockNumber }) => blockNumber),
      awaited.map(({ transactionIndex }) => transactionIndex),
      awaited.map(({ position }) => position),
      awaited.map(({ timestamp }) => timestamp),
      awaited.map(({ usdE8 }) => usdText(usdE8)),
      awaited.map(({ source }) => USD_SOURCES.indexOf(source)),
      awaited.map(({ flags }) => flags),
    ],
  )
}
