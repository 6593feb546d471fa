import { addressWord, hasWords, smallIntWord, uintWord } from './abi-words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from './hex.ts'
import type { Dex, Pool } from './pool.ts'
import type { PoolFamily } from './pool-event.ts'
import type { PoolClaim } from './protocols/protocol.ts'
import { protocolOf } from './protocols/registry.ts'

const FACTORY: Hex = '0xc45a0155'
const TOKEN0: Hex = '0x0dfe1681'
const TOKEN1: Hex = '0xd21220a7'
const FEE: Hex = '0xddca3f43'
const TICK_SPACING: Hex = '0xd0c93a7c'

const MAX_FEE = 1_000_000

/** Calls that ask a contract which emitted a pool's event what it says of itself; replies go to `readClaim`. */
export function claimCalls(family: PoolFamily): readonly Hex[] {
  return family === 'pair' ? [FACTORY, TOKEN0, TOKEN1] : [FACTORY, TOKEN0, TOKEN1, FEE, TICK_SPACING]
}

/** The claim in the replies to `claimCalls`, or null when the contract is no such pool. */
export function readClaim(pool: Address, family: PoolFamily, replies: readonly (Hex | null)[]): PoolClaim | null {
  if (replies.some((reply) => reply === null || !hasWords(reply, 1))) return null
  const [factory, token0, token1, fee, tickSpacing] = replies as readonly Hex[]
  if (factory === undefined || token0 === undefined || token1 === undefined) return null
  const claim = {
    pool,
    factory: addressWord(factory, 0),
    token0: addressWord(token0, 0),
    token1: addressWord(token1, 0),
    fee: null,
    tickSpacing: null,
  }
  if (claim.token0 === claim.token1 || claim.token0 === ZERO_ADDRESS) return null
  if (family === 'pair') return claim
  if (fee === undefined || tickSpacing === undefined || uintWord(fee, 0) >= BigInt(MAX_FEE)) return null
  const spacing = smallIntWord(tickSpacing, 0)
  return spacing > 0 ? { ...claim, fee: Number(uintWord(fee, 0)), tickSpacing: spacing } : null
}

/** The configured DEX whose factory a claim names, where its protocol is read; else null. */
export function dexOfClaim(claim: PoolClaim, family: PoolFamily, dexes: readonly Dex[]): Dex | null {
  const dex = dexes.find(({ factory }) => factory === claim.factory)
  return dex !== undefined && protocolOf(dex.kind)?.family === family ? dex : null
}

/** The question to the factory; its answer goes to `vouchedPool`. */
export function vouchCall(claim: PoolClaim, dex: Dex): { to: Address; data: Hex } {
  const protocol = protocolOf(dex.kind)
  if (protocol === null) throw new Error(`${dex.kind} is not read`)
  return { to: dex.factory, data: protocol.vouchCall(claim) }
}

/** The authentic pool, or null when the factory's answer is not the claimed pool's own address. */
export function vouchedPool(claim: PoolClaim, dex: Dex, answer: Hex | null): Pool | null {
  if (answer === null || !hasWords(answer, 1) || addressWord(answer, 0) !== claim.pool) return null
  return {
    address: claim.pool,
    dex,
    token0: claim.token0,
    token1: claim.token1,
    fee: claim.fee ?? (dex.feeBps ?? 0) * 100,
    tickSpacing: claim.tickSpacing,
  }
}
