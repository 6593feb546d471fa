import type { Chain } from '@dexfeed/chain'
import { type Address, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../../loops/loop.ts'
import type { PoolCache } from '../pool-cache.ts'
import type { TokenReader } from './token-reader.ts'

/** Pause between two rounds. */
const ROUND_MS = 2 * SECOND
/** Tokens that are asked in a round, each for itself, so that none makes another fail. */
const TOKENS_PER_ROUND = 8
/** A token that fails again rests for twice as many rounds, at most for about an hour. */
const MAX_ROUNDS = 2_048

export interface LateTokensOptions {
  chain: Pick<Chain, 'head'>
  store: Pick<IndexerStore, 'settleAwaitedValues' | 'awaitedTokens'>
  log: IndexerLog
  clock?: LoopClock
}

/**
 * Asks the tokens of which nothing was known yet when their pool was found, or a row that names them was stored, over and
 * over with growing pauses, and gives the trades that waited for them their values. Nothing waits for this.
 */
export async function readLateTokens(
  { chain, store, log, clock }: LateTokensOptions,
  { known, tokens }: { known: PoolCache; tokens: Pick<TokenReader, 'read'> },
  ended: AbortSignal,
): Promise<void> {
  const rests = new Map<Address, { rounds: number; until: number }>()
  let round = 0
  let logged = 0
  const ask = async (token: Address) => {
    // Named, so that what is said at another block is told from what is said again.
    const failure = await chain
      .head()
      .then(({ hash }) => tokens.read([token], hash))
      .catch((error: unknown) => error)
    if (!known.isMissing(token)) {
      rests.delete(token)
      return
    }
    const rounds = Math.min(2 * (rests.get(token)?.rounds ?? 1), MAX_ROUNDS)
    rests.set(token, { rounds, until: round + rounds })
    log.debug({ err: failure, token }, 'a token does not answer what it is, or is not believed yet')
  }
  const step = async () => {
    round += 1
    await Promise.all(tokensOfRound(known.missingTokens(), rests, round).map(ask))
    const waiting = await known.saveLateTokens((late) => store.settleAwaitedValues(late))
    if (waiting === logged) return ROUND_MS
    log.info({ trades: waiting, tokens: rests.size }, 'trades wait for what their tokens are')
    // A token that only rows name is forgotten by the process that stored them when it ends, and known to no other.
    if (waiting > 0) known.awaitTokens(await store.awaitedTokens())
    logged = waiting
    return ROUND_MS
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'tokens that came late are not stored, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** Those that do not rest, the ones that failed least first. */
function tokensOfRound(
  missing: readonly Address[],
  rests: ReadonlyMap<Address, { rounds: number; until: number }>,
  round: number,
): Address[] {
  const rounds = (token: Address) => rests.get(token)?.rounds ?? 0
  return missing
    .filter((token) => (rests.get(token)?.until ?? 0) <= round)
    .sort((a, b) => rounds(a) - rounds(b))
    .slice(0, TOKENS_PER_ROUND)
}
