import { addressWord, hasWords, smallIntWord, uintWord } from './abi-words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from './chain/hex.ts'
import type { Dex, PoolAddress } from './pool.ts'
import type { PoolFamily } from './pool-event.ts'
import type { Answers, PoolCandidate, PoolClaim, PoolProof } from './protocols/protocol.ts'
import { protocolOf } from './protocols/registry.ts'

const FACTORY: Hex = '0xc45a0155'
const TOKEN0: Hex = '0x0dfe1681'
const TOKEN1: Hex = '0xd21220a7'
const FEE: Hex = '0xddca3f43'
const TICK_SPACING: Hex = '0xd0c93a7c'

const PAIR_CLAIMS = [FACTORY, TOKEN0, TOKEN1]
const CONCENTRATED_CLAIMS = [FACTORY, TOKEN0, TOKEN1, FEE, TICK_SPACING]
const MAX_FEE = 1_000_000n

/**
 * Finds out whether an emitter of pool events is a pool of a configured deployment. Pure: it asks by yielding questions
 * and is answered by the caller, who may run many proofs side by side.
 */
export function* provePool(candidate: PoolCandidate, dexes: readonly Dex[]): PoolProof {
  const { pool, family } = candidate
  for (const dex of dexes) {
    const protocol = protocolOf(dex.kind)
    if (protocol.family !== family || protocol.identity.by !== 'proof') continue
    if (family === 'managed' && dex.factory !== emitterOf(pool)) continue
    const proven = yield* protocol.identity.prove(candidate, dex)
    if (proven !== null) return proven
  }
  return family === 'pair' || family === 'concentrated' ? yield* proveByFactory(pool, family, dexes) : null
}

/** The contract whose events a pool's are: its own, or the manager that keeps it. */
export function emitterOf(pool: PoolAddress): Address {
  return pool.slice(0, ZERO_ADDRESS.length) as Address
}

/** The pool names its factory, tokens and fee; the factory then names the pool, or it is none of its. */
function* proveByFactory(pool: Address, family: PoolFamily, dexes: readonly Dex[]): PoolProof {
  const asked = family === 'pair' ? PAIR_CLAIMS : CONCENTRATED_CLAIMS
  const claim = readClaim(pool, yield asked.map((data) => ({ to: pool, data })))
  const dex = claim && dexes.find(({ factory }) => factory === claim.factory)
  const protocol = dex && protocolOf(dex.kind)
  if (!claim || !dex || protocol?.family !== family || protocol.identity.by !== 'factory') return null
  const [answer] = yield [{ to: dex.factory, data: protocol.identity.vouchCall(claim) }]
  if (!answer || !hasWords(answer, 1) || addressWord(answer, 0) !== pool) return null
  const { token0, token1 } = claim
  const { settle } = protocol.identity
  const settled = settle ? settle(claim) : { fee: claim.fee ?? (dex.feeBps ?? 0) * 100, tickSpacing: claim.tickSpacing }
  if (settled === null || (family === 'concentrated' && settled.tickSpacing === null)) return null
  return { address: pool, dex, token0, token1, ...settled }
}

/** Null when the contract is no such pool. */
function readClaim(pool: Address, answers: Answers): PoolClaim | null {
  const [factory, token0, token1, fee, tickSpacing] = answers
  if (!isWord(factory) || !isWord(token0) || !isWord(token1)) return null
  const claim = {
    pool,
    factory: addressWord(factory, 0),
    token0: addressWord(token0, 0),
    token1: addressWord(token1, 0),
    fee: null,
    tickSpacing: null,
  }
  if (claim.token0 === claim.token1 || claim.token0 === ZERO_ADDRESS) return null
  // A pool without a fixed fee does not answer fee(); one that claims all or more is none.
  if (isWord(fee) && uintWord(fee, 0) >= MAX_FEE) return null
  const spacing = isWord(tickSpacing) ? smallIntWord(tickSpacing, 0) : 0
  return {
    ...claim,
    fee: isWord(fee) ? Number(uintWord(fee, 0)) : null,
    tickSpacing: spacing > 0 ? spacing : null,
  }
}

function isWord(answer: Hex | null | undefined): answer is Hex {
  return answer !== null && answer !== undefined && hasWords(answer, 1)
}
