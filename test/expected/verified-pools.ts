import type { DevnetChain } from '@dexfeed/devnet'
import { readContracts } from './chain-reader.ts'
import type { RecordedBlock } from './chain-record.ts'
import { isPoolEvent, type VerifiedPool } from './pool-events.ts'

const TOKEN0 = 'function token0() view returns (address)'
const TOKEN1 = 'function token1() view returns (address)'
const FEE = 'function fee() view returns (uint24)'
const GET_PAIR = 'function getPair(address, address) view returns (address)'
const GET_POOL = 'function getPool(address, address, uint24) view returns (address)'

/** Returns emitters of pool events that a configured factory confirms. */
export async function findVerifiedPools(
  chain: DevnetChain,
  blocks: readonly RecordedBlock[],
): Promise<Map<string, VerifiedPool>> {
  const logs = blocks.flatMap(({ transactions }) => transactions.flatMap((transaction) => transaction.logs))
  const emitters = [...new Set(logs.filter(isPoolEvent).map(({ address }) => address))]
  const claims = await readClaims(chain, emitters)
  const lookups = claims.flatMap((claim) =>
    chain.deployment.dexes.flatMap(({ name, kind, factory, feeBps }) => {
      const pair = [claim.token0, claim.token1]
      if (kind === 'uniswap-v2') {
        const pool: VerifiedPool = { ...claim, kind, dex: name, fee: (feeBps ?? 0) * 100 }
        return [{ pool, read: { to: factory, signature: GET_PAIR, args: pair } }]
      }
      if (claim.fee === null) return []
      const pool: VerifiedPool = { ...claim, kind, dex: name, fee: claim.fee }
      return [{ pool, read: { to: factory, signature: GET_POOL, args: [...pair, claim.fee] } }]
    }),
  )
  const results = await readContracts(
    chain,
    lookups.map(({ read }) => read),
  )
  const verified = lookups.filter(({ pool }, at) => lower(results[at]) === pool.address)
  return new Map(verified.map(({ pool }) => [pool.address, pool]))
}

async function readClaims(chain: DevnetChain, emitters: readonly string[]) {
  const reads = emitters.flatMap((to) => [TOKEN0, TOKEN1, FEE].map((signature) => ({ to, signature })))
  const results = await readContracts(chain, reads)
  return emitters.flatMap((address, at) => {
    const [token0, token1, fee] = results.slice(3 * at, 3 * at + 3)
    if (!token0 || !token1) return []
    return [{ address, token0: lower(token0), token1: lower(token1), fee: fee ? Number(fee[0]) : null }]
  })
}

function lower(result: readonly unknown[] | null | undefined): string {
  return String(result?.[0]).toLowerCase()
}
