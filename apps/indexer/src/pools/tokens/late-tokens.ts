import { type Address, type BlockHeader, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { type IndexerLog, type LoopClock, repeatStep } from '../../loops/loop.ts'
import type { PoolCache } from '../pool-cache.ts'
import type { TokenReader } from './token-reader.ts'

const ROUND_MS = 2 * SECOND
/** Tokens per round, each in its own request, so that none makes another fail. */
const TOKENS_PER_ROUND = 8
/** Maximum pause of a failing token, in rounds (about an hour). The pause doubles with each failure. */
const MAX_ROUNDS = 2_048

export interface LateTokensOptions {
  chain: { head(): Promise<BlockHeader> }
  store: Pick<IndexerStore, 'settleAwaitedValues' | 'awaitedTokens'>
  log: IndexerLog
  clock?: LoopClock
}

/**
 * Reads tokens again that could not be read when their pool was found or a row naming them was stored. Pauses grow with
 * each failure. Stores the values of the trades that waited for them. No block waits for this.
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
    // Name the block, to distinguish a denial at another block from a repeated one.
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
    log.debug({ err: failure, token }, 'could not read a token, or its metadata is not trusted yet')
  }
  const step = async () => {
    round += 1
    await Promise.all(tokensOfRound(known.missingTokens(), rests, round).map(ask))
    const waiting = await known.saveLateTokens((late) => store.settleAwaitedValues(late))
    if (waiting === logged) return ROUND_MS
    log.info({ trades: waiting, tokens: rests.size }, 'trades without a value wait until their tokens can be read')
    // Tokens that only rows name are known to the process that stored them, which may have ended: re-read the list.
    if (waiting > 0) known.awaitTokens(await store.awaitedTokens())
    logged = waiting
    return ROUND_MS
  }
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'could not store tokens that were read late, trying again')
  await repeatStep({ ended, clock }, step, onFailure)
}

/** A token that was never tried has not failed and needs no pause. */
const NEVER_READ = { rounds: 0, until: Number.NEGATIVE_INFINITY }

/** Returns the tokens whose pause is over, those with the fewest failures first. */
function tokensOfRound(
  missing: readonly Address[],
  rests: ReadonlyMap<Address, { rounds: number; until: number }>,
  round: number,
): Address[] {
  const restOf = (token: Address) => rests.get(token) ?? NEVER_READ
  return missing
    .filter((token) => restOf(token).until <= round)
    .sort((a, b) => restOf(a).rounds - restOf(b).rounds)
    .slice(0, TOKENS_PER_ROUND)
}
