import { type Chain, type Clock, RpcUnavailable, systemClock } from '@dexfeed/chain'
import { type Address, type Hex, readToken, TOKEN_CALLS, ZERO_ADDRESS } from '@dexfeed/dex'
import { askEach } from './ask-each.ts'
import type { KnownPools } from './known-pools.ts'

/** How long blocks wait for the metadata of new tokens. */
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
  const questions = unknown.map((to) => TOKEN_CALLS.map((data) => ({ to, data })))
  const answers = await askEach(chain, questions, at)
  unknown.forEach((address, index) => {
    known.addToken(readToken(address, answers[index] ?? []))
  })
}

/**
 * The same, but waits only a few seconds, and tokens that the nodes cannot execute are no failure. Where the nodes are
 * down it throws: the next try of the block finds them up.
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
