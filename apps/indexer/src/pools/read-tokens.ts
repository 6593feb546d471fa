import { type Chain, type Clock, RpcUnavailable, systemClock } from '@dexfeed/chain'
import { type Address, type Hex, readToken, TOKEN_CALLS, ZERO_ADDRESS } from '@dexfeed/dex'
import type { KnownPools } from './known-pools.ts'

/** Blocks wait so long for what new tokens say of themselves. */
const TOKEN_WAIT_MS = 5_000
/** A call that cannot fail: a node that answers it is well. */
const CONTROL = { to: ZERO_ADDRESS, data: '0x' } as const

/** Reads the metadata of those of some tokens that are not known yet. */
export async function readTokens(
  chain: Pick<Chain, 'callMany'>,
  known: KnownPools,
  addresses: readonly Address[],
  at: Hex | 'latest',
): Promise<void> {
  const unknown = [...new Set(addresses)].filter((address) => known.token(address) === undefined)
  if (unknown.length === 0) return
  const calls = unknown.flatMap((to) => TOKEN_CALLS.map((data) => ({ to, data })))
  const replies = await chain.callMany(calls, at)
  unknown.forEach((address, index) => {
    const from = index * TOKEN_CALLS.length
    known.addToken(readToken(address, replies.slice(from, from + TOKEN_CALLS.length)))
  })
}

/**
 * The same, but waits only so long, and a failure is none where it is the tokens that the nodes cannot execute. Where
 * the nodes are down it throws: the next try of the block finds them up.
 */
export async function readTokensInTime(
  chain: Pick<Chain, 'callMany'>,
  known: KnownPools,
  addresses: readonly Address[],
  at: Hex | 'latest',
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<void> {
  const enough = new AbortController()
  const read = readTokens(chain, known, addresses, at).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RpcUnavailable) return false
      throw error
    },
  )
  const waited = clock.sleep(TOKEN_WAIT_MS, enough.signal).then(() => false)
  try {
    // What comes after the wait is still taken; a failure then is of no interest.
    if (!(await Promise.race([read, waited]))) await chain.callMany([CONTROL], at)
  } finally {
    enough.abort()
  }
}
