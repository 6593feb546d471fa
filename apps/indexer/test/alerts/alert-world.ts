import type { Address, BlockHeader, Hex, NetworkName, Pool, PricedTrade } from '@dexfeed/dex'
import { madeHop, madeRow } from '@dexfeed/dex/test/made-hop'
import type { IndexerStore } from '@dexfeed/store'
import { onTestFinished } from 'vitest'
import { type AlertsConfig, parseAlerts } from '../../src/alerts/alert-rules.ts'
import { addressOf, madeDeployment, pairDex, pairPool, tokenOf } from '../scene/made-values.ts'

/** A minute begins here. */
export const START = Date.UTC(2026, 10, 20, 12) / 1_000
const USD = addressOf('aa')
const DEX = pairDex(addressOf('fa'))
export const WRAPPER = addressOf('ee')
const DEPLOYMENT = madeDeployment({ wrappedNative: WRAPPER, anchors: [USD], dexes: [DEX] })
const UNIT = 10n ** 18n

export interface World {
  tokens: readonly Address[]
  pools: readonly Pool[]
}

/** Returns tokens that each have two pools with USD. */
export function makeWorld(count: number): World {
  const tokens = Array.from({ length: count }, (_, n) => numbered(0x1000 + n))
  const pools = tokens.flatMap((token, n) =>
    [0, 1].map((m) => pairPool(numbered(0x10_0000 + 2 * n + m), DEX, token, USD)),
  )
  return { tokens, pools }
}

function numbered(n: number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`
}

/** Returns a purchase of one token for a price in whole dollars. */
export function purchase(pool: Pool, usd: number, block: BlockHeader, index: number): PricedTrade {
  const usdE8 = BigInt(usd) * 10n ** 8n
  const hop = madeHop(index, [USD, BigInt(usd) * UNIT], [pool.token0, UNIT], { pool })
  return madeRow([hop], {
    blockNumber: block.number,
    timestamp: block.timestamp,
    transactionIndex: index,
    txHash: `0x${index.toString(16).padStart(4, '0')}${block.hash.slice(6)}`,
    trader: addressOf('b0'),
    hopsUsdE8: [usdE8],
    usdE8,
    source: 'anchor',
  })
}

/** Returns the tokens and pools of a world as a commit has them. */
export function rowsOf({ tokens, pools }: World) {
  return { pools, tokens: [...tokens, USD].map(tokenOf) }
}

export async function startWriter(store: IndexerStore): Promise<number> {
  const start = { number: 1, timestamp: START }
  await store.register({ genesisHash: hashOf(0, 0), deployment: DEPLOYMENT, start })
  const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
  onTestFinished(() => lease.release())
  await store.configure(lease.epoch, DEPLOYMENT)
  return lease.epoch
}

export function hashOf(number: number, branch: number): Hex {
  return `0x${branch.toString(16).padStart(8, '0')}${number.toString(16).padStart(56, '0')}`
}

export function configOf(rules: readonly object[], webhooks: readonly { name: string }[] = []): AlertsConfig {
  const text = JSON.stringify({ rules: rules.map((rule) => ({ network: 'eth', ...rule })), webhooks })
  const secrets = new Map(webhooks.map(({ name }) => [name, 'a-secret-of-the-test']))
  const { config, problems } = parseAlerts(text, secrets, new Map<NetworkName, Address>())
  if (config === undefined) throw new Error(problems?.join('\n'))
  return config
}
