import { NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { getAddress } from 'ethers'
import type { Client } from 'pg'

interface StoredSwap {
  chain_id: number
  block_number: string
  tx_hash: Buffer
  volume_usd: string | null
  sell: StoredLeg
  buy: StoredLeg
}

interface StoredLeg {
  native: boolean
  address: string
  amount: string
  name: string | null
  symbol: string | null
  decimals: number | null
}

const leg = (
  side: string,
) => `json_build_object('native', ${side}_native, 'address', '0x' || encode(${side}_token, 'hex'),
  'amount', ${side}_amount::text, 'name', ${side}.name, 'symbol', ${side}.symbol, 'decimals', ${side}.decimals) AS ${side}`

/** Returns the list without the API's code, by a plain query and JSON.stringify. */
export async function expectedList(owner: Client, since: number, network?: NetworkName): Promise<string> {
  const { rows } = await owner.query<StoredSwap>(
    `SELECT s.chain_id, block_number::text, tx_hash, volume_usd::text, ${leg('sell')}, ${leg('buy')}
     FROM swap AS s
     JOIN network AS n ON n.chain_id = s.chain_id AND n.active
     LEFT JOIN token AS sell ON sell.chain_id = s.chain_id AND sell.address = sell_token
     LEFT JOIN token AS buy ON buy.chain_id = s.chain_id AND buy.address = buy_token
     WHERE block_time >= to_timestamp($1) AND n.name = ANY ($2)
     ORDER BY s.block_number, array_position($3::int[], s.chain_id), transaction_index, position`,
    [since, network === undefined ? NETWORK_NAMES : [network], NETWORK_NAMES.map((name) => NETWORKS[name].chainId)],
  )
  const stated = rows.filter(({ sell, buy }) =>
    [sell, buy].every((storedLeg) => storedLeg.native || storedLeg.decimals !== null),
  )
  return JSON.stringify(
    stated.map((row) => ({
      tx_hash: `0x${row.tx_hash.toString('hex')}`,
      block_number: row.block_number,
      sell_token: tokenOf(row, row.sell),
      buy_token: tokenOf(row, row.buy),
      trade_volume_usd: row.volume_usd ?? '0.00000000',
    })),
  )
}

const checksummed = new Map<string, string>()

/** Slow, so done once per address. */
function checksum(address: string): string {
  const known = checksummed.get(address) ?? getAddress(address)
  checksummed.set(address, known)
  return known
}

function tokenOf({ chain_id }: StoredSwap, { native, address, amount, name, symbol, decimals }: StoredLeg) {
  const coin = NETWORKS[NETWORK_NAMES.find((known) => NETWORKS[known].chainId === chain_id) ?? 'eth'].native
  const places = native ? 18 : (decimals ?? 0)
  const digits = amount.padStart(places + 1, '0')
  const fraction = places === 0 ? '' : digits.slice(-places)
  return {
    name: native ? coin.name : name,
    symbol: native ? coin.symbol : symbol,
    decimals: String(places),
    address: native ? '' : checksum(address),
    amount,
    amount_decimal: `${places === 0 ? digits : digits.slice(0, -places)}.${fraction.padEnd(8, '0')}`,
  }
}
