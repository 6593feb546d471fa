import { type Address, type Hex, SECOND, type Token } from '@dexfeed/dex'
import { type LoopContext, repeatLogged } from '../../loops/loop.ts'
import type { TokenCache } from './token-cache.ts'

const ROUND_MS = 2 * SECOND
/** Each token has its own request, so that one token cannot make another fail. */
const TOKENS_PER_ROUND = 8
/** Longest pause in rounds, about an hour. The pause doubles with each failure. */
const MAX_ROUNDS = 2_048

export interface LateTokensOptions extends LoopContext {
  chain: { head(): Promise<{ hash: Hex }> }
  store: {
    /** Returns how many trades still wait for a value. */
    settleAwaitedValues(tokens: readonly Token[]): Promise<number>
    awaitedTokens(): Promise<readonly Address[]>
  }
  tokens: TokenCache
  reader: { read(addresses: readonly Address[], at: Hex): Promise<void> }
}

/** Reads tokens that could not be read in time, and stores the values of the trades that waited for them. */
export async function readLateTokens(
  { chain, store, tokens, reader, log, clock }: LateTokensOptions,
  ended: AbortSignal,
): Promise<void> {
  const rests = new Map<Address, { rounds: number; until: number }>()
  let round = 0
  let logged = 0
  const ask = async (token: Address) => {
    // Name the block, because only a denial at another block confirms an earlier one.
    const failure = await chain
      .head()
      .then(({ hash }) => reader.read([token], hash))
      .catch((error: unknown) => error)
    if (!tokens.isMissing(token)) {
      rests.delete(token)
      return
    }
    const rounds = Math.min(2 * (rests.get(token)?.rounds ?? 1), MAX_ROUNDS)
    rests.set(token, { rounds, until: round + rounds })
    log.debug({ err: failure, token }, 'could not read a token, or its metadata is not trusted yet')
  }
  const step = async () => {
    round += 1
    await Promise.all(tokensOfRound(tokens.missing(), rests, round).map(ask))
    const waiting = await tokens.saveLate((late) => store.settleAwaitedValues(late))
    if (waiting === logged) return ROUND_MS
    log.info({ trades: waiting, tokens: rests.size }, 'trades have no value until their tokens can be read')
    // The process that stored rows with these tokens may have ended.
    if (waiting > 0) {
      const awaited = await store.awaitedTokens()
      tokens.expect(awaited)
      tokens.noteLate(awaited)
    }
    logged = waiting
    return ROUND_MS
  }
  await repeatLogged({ ended, log, clock }, 'could not store tokens that were read late, trying again', step)
}

const NEVER_READ = { rounds: 0, until: Number.NEGATIVE_INFINITY }

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
