import { contractCall } from '../abi/contract-abi.ts'
import { type Address, ZERO_ADDRESS } from '../chain.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolFamily } from '../pool-event.ts'
import { emitterOf } from './managed-pool.ts'
import type { CallResults, PoolCandidate, PoolClaim, PoolProof } from './protocol.ts'
import { protocolOf } from './registry.ts'

const FACTORY = contractCall<[Address]>('function factory() view returns (address)')
const TOKEN0 = contractCall<[Address]>('function token0() view returns (address)')
const TOKEN1 = contractCall<[Address]>('function token1() view returns (address)')
/** Whole words, so that a claim beyond the contract's type is rejected and not truncated. */
const FEE = contractCall<[bigint]>('function fee() view returns (uint256)')
const TICK_SPACING = contractCall<[bigint]>('function tickSpacing() view returns (int256)')

const PAIR_CLAIMS = [FACTORY, TOKEN0, TOKEN1]
const CONCENTRATED_CLAIMS = [FACTORY, TOKEN0, TOKEN1, FEE, TICK_SPACING]
const MAX_FEE = 1_000_000n
/** The first value above int24. */
const MAX_TICK_SPACING = 2n ** 23n

/** Returns the pools in order of their first event, without contracts that pools only depend on. */
export function candidatesOf(events: Iterable<PoolEvent>): PoolCandidate[] {
  const candidates = new Map<PoolAddress, PoolCandidate & { events: PoolEvent[] }>()
  for (const event of events) {
    if (event.type === 'dependency') continue
    const { pool, family } = event
    const candidate = candidates.get(pool)
    if (candidate === undefined) candidates.set(pool, { pool, family, events: [event] })
    else candidate.events.push(event)
  }
  return [...candidates.values()]
}

/** Verifies a pool. The caller runs the calls of many proofs side by side. */
export function* provePool(candidate: PoolCandidate, dexes: readonly Dex[]): PoolProof {
  const { pool, family } = candidate
  if (family === 'pair' || family === 'concentrated') {
    const proven = yield* proveByFactory(pool, family, dexes)
    if (proven !== null) return proven
  }
  for (const dex of dexes) {
    const protocol = protocolOf(dex.kind)
    if (protocol.family !== family || protocol.identity.by !== 'proof') continue
    if (family === 'managed' && dex.factory !== emitterOf(pool)) continue
    const proven = yield* protocol.identity.prove(candidate, dex)
    if (proven !== null) return proven
  }
  return null
}

function* proveByFactory(pool: Address, family: PoolFamily, dexes: readonly Dex[]): PoolProof {
  const calls = family === 'pair' ? PAIR_CLAIMS : CONCENTRATED_CLAIMS
  const claim = readClaim(pool, yield calls.map((call) => ({ to: pool, data: call.data() })))
  const dex = claim && dexes.find(({ factory }) => factory === claim.factory)
  const protocol = dex && protocolOf(dex.kind)
  if (!claim || !dex || protocol?.family !== family || protocol.identity.by !== 'factory') return null
  const { poolCall, argsOf, settle } = protocol.identity
  const [answer] = yield [{ to: dex.factory, data: poolCall.data(...argsOf(claim)) }]
  if (poolCall.read(answer)?.[0] !== pool) return null
  const { token0, token1 } = claim
  const settled = settle ? settle(claim) : { fee: claim.fee ?? pairFee(dex), tickSpacing: claim.tickSpacing }
  if (settled === null || (family === 'concentrated' && settled.tickSpacing === null)) return null
  return { address: pool, dex, token0, token1, ...settled }
}

export interface FactoryFee {
  factory: Address
  /** In millionths; 0 if not fixed. */
  fee: number
  /** Whether the pools' states contain a fee; null if no states are stored. */
  inStates: boolean | null
}

export function ownFees(dexes: readonly Dex[]): FactoryFee[] {
  return dexes
    .filter(({ kind }) => kind === 'uniswap-v2')
    .map((dex) => ({
      factory: dex.factory,
      fee: pairFee(dex),
      inStates: dex.feeBps === null ? null : dex.feeCall !== undefined,
    }))
}

function pairFee({ feeBps }: Dex): number {
  // If the fee is unknown, no state of the pair is stored, so this 0 is never quoted.
  return (feeBps ?? 0) * 100
}

function readClaim(pool: Address, results: CallResults): PoolClaim | null {
  const [factory] = FACTORY.read(results[0]) ?? []
  const [token0] = TOKEN0.read(results[1]) ?? []
  const [token1] = TOKEN1.read(results[2]) ?? []
  if (!factory || !token0 || !token1 || token0 === token1 || token0 === ZERO_ADDRESS) return null
  // Pools without a fixed fee have no such function; a fee of 100 % or more is invalid.
  const [fee = null] = FEE.read(results[3]) ?? []
  if (fee !== null && fee >= MAX_FEE) return null
  const [spacing = 0n] = TICK_SPACING.read(results[4]) ?? []
  const tickSpacing = spacing > 0n && spacing < MAX_TICK_SPACING ? Number(spacing) : null
  return { pool, factory, token0, token1, fee: fee === null ? null : Number(fee), tickSpacing }
}
