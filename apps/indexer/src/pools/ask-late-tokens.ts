import { systemClock } from '@dexfeed/chain'
import type { Address } from '@dexfeed/dex'
import { repeatStep } from '../loops/repeat-step.ts'
import type { NetworkDependencies } from '../run-network.ts'
import type { PoolRegistry } from './pool-registry.ts'

/** Pause between two rounds. */
const ROUND_MS = 2_000
/** Tokens that are asked in a round, each for itself, so that none makes another fail. */
const TOKENS_PER_ROUND = 8
/** A token that fails again rests for twice as many rounds, at most for about an hour. */
const MOST_ROUNDS = 2_048

type Dependencies = Pick<NetworkDependencies, 'store' | 'log' | 'clock'>

/**
 * Asks the tokens that could not be asked when their pool was found, over and over with growing pauses, and gives the
 * trades that waited for them their values. Beside the way of a block: nothing waits for this.
 */
export async function askLateTokens(
  { store, log, clock = systemClock }: Dependencies,
  registry: PoolRegistry,
  ended: AbortSignal,
): Promise<void> {
  const rests = new Map<Address, { rounds: number; until: number }>()
  let round = 0
  let told = 0
  const step = async () => {
    await clock.sleep(ROUND_MS, ended)
    if (ended.aborted) return false
    round += 1
    await Promise.all(tokensOfRound(registry.missingTokens(), rests, round).map((token) => ask(token)))
    const late = registry.lateTokens()
    const waiting = await store.settleAwaitedValues(late)
    registry.markSaved({ pools: [], tokens: late })
    if (waiting !== told) log.info({ trades: waiting, tokens: rests.size }, 'trades wait for what their tokens are')
    told = waiting
    return true
  }
  const ask = async (token: Address) => {
    try {
      await registry.resolveTokens([token], 'latest')
      rests.delete(token)
    } catch (error) {
      const rounds = Math.min(2 * (rests.get(token)?.rounds ?? 1), MOST_ROUNDS)
      rests.set(token, { rounds, until: round + rounds })
      log.debug({ err: error, token }, 'a token does not tell what it is')
    }
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'tokens that came late are not stored, trying again')
  await repeatStep({ signal: ended, clock }, step, failed)
}

/** Those that do not rest, the ones that failed least first. */
function tokensOfRound(
  missing: readonly Address[],
  rests: ReadonlyMap<Address, { rounds: number; until: number }>,
  round: number,
): Address[] {
  const rested = (token: Address) => rests.get(token)?.rounds ?? 0
  return missing
    .filter((token) => (rests.get(token)?.until ?? 0) <= round)
    .sort((a, b) => rested(a) - rested(b))
    .slice(0, TOKENS_PER_ROUND)
}
